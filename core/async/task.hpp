#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace caisson {

namespace asio = boost::asio;

/// The one I/O thread's executor. Typed, because any_io_executor costs on the hot path.
using io_executor = asio::io_context::executor_type;

/// The return type of the project's coroutines. They run on the I/O thread.
template <class T = void>
using task = asio::awaitable<T, io_executor>;

/// The result of a wait that returns when it is cancelled: an exception would cost more time than many waits take. A wait that begins
/// after the cancellation still throws operation_aborted.
enum class [[nodiscard]] wait_end { cancelled, came };

/// Completion token: `co_await socket.async_x(…, use_task)`.
inline constexpr asio::use_awaitable_t<io_executor> use_task{};

}    // namespace caisson
