#include "adapters/net/pulse.hpp"

#include "core/async/deadline.hpp"

#include <algorithm>
#include <utility>

namespace caisson::net {

namespace {

using namespace std::chrono_literals;

constexpr auto least_pause = 1ms;    // between two beats of the same object

}    // namespace

task<> pulse::run(std::shared_ptr<pulse> self)
{
    while (true) {
        const auto seen = self->sooner_.version();
        if (self->due_.empty())
            co_await self->sooner_.wait_past(seen);
        else
            co_await race(self->sooner_.wait_past(seen), self->time_.wait_until(self->due_.begin()->first));
        self->beat_due(self->time_.steady_now());
    }
}

void pulse::beat_due(steady_time now)
{
    while (!due_.empty() && due_.begin()->first <= now) {
        auto& next = *due_.begin()->second;
        next.stop();
        if (const auto again = next.who_.beat())
            next.start(std::max(*again, now + least_pause));
    }
}

void pulse_place::start(steady_time first)
{
    at_ = of_->due_.emplace(first, this);
    if (*at_ == of_->due_.begin())
        of_->sooner_.notify_all();
}

void pulse_place::stop()
{
    if (const auto at = std::exchange(at_, std::nullopt))
        of_->due_.erase(*at);
}

}    // namespace caisson::net
