#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

namespace caisson {

/// Work that is done to its end though this coroutine is cancelled; a cancellation that comes meanwhile is told then: throws
/// operation_aborted. Where it may have been cancelled before, the line above has to be
/// `co_await asio::this_coro::throw_if_cancelled(false)`: else waiting for this throws before it is begun.
inline task<result<void>> undisturbed(task<result<void>> work)
{
    co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation(), asio::disable_cancellation());
    auto done = co_await std::move(work);
    const auto meanwhile = (co_await asio::this_coro::cancellation_state).cancelled();
    co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
    co_await asio::this_coro::throw_if_cancelled(true);
    if (meanwhile != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
    co_return done;
}

}    // namespace caisson
