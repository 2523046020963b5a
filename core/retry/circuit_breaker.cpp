#include "core/retry/circuit_breaker.hpp"

#include <algorithm>

namespace caisson {

circuit_breaker::permit circuit_breaker::ask(steady_time now)
{
    if (!open_)
        return permit::ordinary;
    if (trial_ || now < open_until_)
        return permit::refused;
    trial_ = true;
    return permit::trial;
}

void circuit_breaker::succeeded()
{
    recent_.clear();
    open_ = false;
    trial_ = false;
    pause_ = {};
}

void circuit_breaker::failed(permit which, steady_time now)
{
    if (which == permit::trial) {
        trial_ = false;
        open(std::min(pause_ * 2, options_.longest_pause), now);
    }
    if (open_)    // one that began before it opened says nothing new
        return;
    recent_.push_back(now);
    if (recent_.size() > options_.faults)
        recent_.pop_front();
    if (recent_.size() == options_.faults && now - recent_.front() <= options_.within)
        open(options_.first_pause, now);
}

void circuit_breaker::abandoned(permit which)
{
    if (which == permit::trial)
        trial_ = false;
}

void circuit_breaker::open(std::chrono::milliseconds pause, steady_time now)
{
    open_ = true;
    pause_ = pause;
    open_until_ = now + pause;
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
