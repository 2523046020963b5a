#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace caisson {

namespace asio = boost::asio;

/// The one I/O thread's executor. Typed, because any_io_executor costs on the hot path.
using io_executor = asio::io_context::executor_type;

/// What every coroutine of the project returns. It runs on the I/O thread.
template <class T = void>
using task = asio::awaitable<T, io_executor>;

/// What a wait gives that returns when it is cancelled meanwhile: an exception would cost more than many of them last. One that begins when
/// it was cancelled before throws operation_aborted like any other.
enum class [[nodiscard]] wait_end { cancelled, came };

/// Completion token: `co_await socket.async_x(…, use_task)`.
inline constexpr asio::use_awaitable_t<io_executor> use_task{};

}    // namespace caisson
