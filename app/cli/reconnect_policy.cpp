#include "app/cli/reconnect_policy.hpp"

#include <algorithm>

namespace caisson::cli {

namespace {

constexpr std::chrono::milliseconds first_delay{100};
constexpr std::chrono::milliseconds longest_delay{2'000};
constexpr std::chrono::seconds long_enough{5};

}    // namespace

bool may_pass(errc code)
{
    // internal: also a proxy's 502 or 504
    return code == errc::runtime_unavailable || code == errc::timed_out || code == errc::rate_limited || code == errc::internal;
}

void reconnect_policy::worked()
{
    since_.reset();
    next_ = first_delay;
}

std::optional<std::chrono::milliseconds> reconnect_policy::broke(steady_time now, std::chrono::nanoseconds lasted)
{
    if (lasted >= long_enough)    // a quiet program sends no frames: time alone shows that the connection worked
        worked();
    if (!since_)
        since_ = now;
    if (now - *since_ >= patience_)
        return std::nullopt;
    const auto delay = next_;
    next_ = std::min(next_ * 2, longest_delay);
    return delay;
}

}    // namespace caisson::cli
