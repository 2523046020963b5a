#include "core/async/timers.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>

namespace caisson {

task<> system_timers::wait_until(steady_time when)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, io_executor> timer(executor, when);
    co_await timer.async_wait(use_task);
}

}    // namespace caisson
