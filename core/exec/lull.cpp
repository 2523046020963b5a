#include "core/exec/lull.hpp"

#include "core/async/deadline.hpp"

#include <algorithm>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// A short program ends sooner, and a client that sends one request after the other begins the next one.
constexpr std::chrono::milliseconds least_quiet = 20ms;
/// What is made takes the processors for long: who can wait for longer also waits out longer programs, for this part of its time.
constexpr int quiet_part = 4;

}    // namespace

void lull::close()
{
    closed_ = true;
    for (auto& each : hurried_)
        each.notify_all();
}

task<> lull::wait(work what, std::chrono::milliseconds longest)
{
    const auto until = time_.steady_now() + longest;
    const auto quiet = what == work::making ? std::max(least_quiet, longest / quiet_part) : least_quiet;
    auto& hurried = hurried_by(what);
    const auto seen = hurried.version();
    for (;;) {
        if (busy_ > 0 || collecting_ > 0)
            disturb();
        const auto end = std::min(until, last_ + quiet);
        if (closed_ || hurried.version() != seen || time_.steady_now() >= end)
            co_return;
        auto hurry = hurried.wait_past(seen);
        static_cast<void>(co_await with_deadline(time_, end, std::move(hurry)));
    }
}

}    // namespace caisson
