#include "core/async/timers.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>

namespace caisson {

namespace {

using steady_timer = asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, io_executor>;

}    // namespace

task<> system_timers::wait_until(steady_time when)
{
    const auto executor = co_await asio::this_coro::executor;
    steady_timer timer(executor, when);
    co_await timer.async_wait(use_task);
}

task<wait_end> system_timers::wait_until_or_cancelled(steady_time when)
{
    const auto executor = co_await asio::this_coro::executor;
    steady_timer timer(executor, when);
    const auto ended = co_await timer.async_wait(asio::as_tuple(use_task));
    co_return std::get<0>(ended) ? wait_end::cancelled : wait_end::came;
}

}    // namespace caisson
