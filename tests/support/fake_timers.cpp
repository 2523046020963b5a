#include "tests/support/fake_timers.hpp"

namespace caisson::testing {

task<> fake_timers::wait_until(steady_time when)
{
    ++*waiting_;
    auto leave = [count = waiting_](void*) { --*count; };
    const std::unique_ptr<void, decltype(leave)> guard(this, leave);
    while (steady_ < when)
        co_await moved_.wait_past(moved_.version());
}

task<wait_end> fake_timers::wait_until_or_cancelled(steady_time when)
{
    try {
        co_await wait_until(when);
        co_return wait_end::came;
    } catch (const boost::system::system_error&) {
        co_return wait_end::cancelled;
    }
}

void fake_timers::advance(std::chrono::milliseconds by)
{
    steady_ += by;
    now_ms_ += by.count();
    moved_.notify_all();
}

}    // namespace caisson::testing
