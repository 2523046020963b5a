#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <exception>

namespace caisson {

/// Runs `work` and turns an exception into errc::internal with its text. operation_aborted (cancellation) is rethrown.
template <class T>
task<result<T>> without_exceptions(task<result<T>> work)
{
    try {
        co_return co_await std::move(work);
    } catch (const boost::system::system_error& e) {
        if (e.code() == asio::error::operation_aborted)
            throw;
        co_return error{errc::internal, e.what()};
    } catch (const std::exception& e) {
        co_return error{errc::internal, e.what()};
    }
}

/// Adapts a task for without_exceptions().
inline task<result<void>> as_result(task<> work)
{
    co_await std::move(work);
    co_return result<void>();
}

}    // namespace caisson
