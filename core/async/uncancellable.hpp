#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

namespace caisson {

/// Runs `work` to its end even if this coroutine is cancelled meanwhile; then throws operation_aborted if it was. If the coroutine may
/// already be cancelled, the line before the call must be `co_await asio::this_coro::throw_if_cancelled(false)`; otherwise awaiting the
/// call throws before `work` begins.
inline task<result<void>> uncancellable(task<result<void>> work)
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
