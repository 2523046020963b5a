#include "tests/support/fake_timers.hpp"

namespace caisson::testing {

task<> fake_timers::wait_until(steady_time when)
{
    if (co_await wait_until_or_cancelled(when) == wait_end::cancelled)
        throw boost::system::system_error(asio::error::operation_aborted);
}

task<wait_end> fake_timers::wait_until_or_cancelled(steady_time when)
{
    ++*waiting_;
    auto leave = [count = waiting_](void*) { --*count; };
    const std::unique_ptr<void, decltype(leave)> guard(this, leave);
    while (steady_ < when)
        if (co_await moved_.wait_past_or_cancelled(moved_.version()) == wait_end::cancelled)
            co_return wait_end::cancelled;
    co_return wait_end::came;
}

void fake_timers::advance(std::chrono::milliseconds by)
{
    steady_ += by;
    now_ms_ += by.count();
    moved_.notify_all();
}

}    // namespace caisson::testing
