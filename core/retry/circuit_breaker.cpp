#include "core/retry/circuit_breaker.hpp"

#include <algorithm>
#include <utility>

namespace caisson {

std::optional<circuit_breaker::permit> circuit_breaker::ask(steady_time now)
{
    if (!lets(now))
        return std::nullopt;
    trial_ = open_;
    return permit{open_, era_};
}

void circuit_breaker::succeeded()
{
    recent_.clear();
    pause_ = {};
    trial_ = false;
    if (std::exchange(open_, false))
        ++era_;
}

void circuit_breaker::failed(permit which, steady_time now)
{
    if (is_the_trial(which))
        open(now);
    if (open_)    // the try began before the breaker opened
        return;
    recent_.push_back(now);
    if (recent_.size() > options_.faults)
        recent_.pop_front();
    if (recent_.size() == options_.faults && now - recent_.front() <= options_.within)
        open(now);
}

void circuit_breaker::abandoned(permit which)
{
    if (is_the_trial(which))
        trial_ = false;
}

/// Doubles the pause, within its bounds.
void circuit_breaker::open(steady_time now)
{
    pause_ = std::max(options_.first_pause, std::min(pause_ * 2, options_.longest_pause));
    open_ = true;
    trial_ = false;
    ++era_;
    open_until_ = now + pause_;
}

circuit_breaker::state circuit_breaker::state_at(steady_time now) const
{
    if (!open_)
        return state::closed;
    return now < open_until_ ? state::open : state::half_open;
}

std::chrono::milliseconds circuit_breaker::pause_left(steady_time now) const
{
    if (!open_ || now >= open_until_)
        return std::chrono::milliseconds(0);
    return std::chrono::ceil<std::chrono::milliseconds>(open_until_ - now);
}

std::string_view to_string(circuit_breaker::state value)
{
    switch (value) {
    case circuit_breaker::state::closed: return "closed";
    case circuit_breaker::state::open: return "open";
    case circuit_breaker::state::half_open: return "half_open";
    }
    return "";
}

}    // namespace caisson
