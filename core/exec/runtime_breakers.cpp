#include "core/exec/runtime_breakers.hpp"

namespace caisson {

void runtime_breakers::succeeded(const std::string& runtime)
{
    auto& breaker = breakers_[runtime];
    const bool was_closed = breaker.state_at(time_.steady_now()) == circuit_breaker::state::closed;
    breaker.succeeded();
    if (!was_closed)
        log_.info("a runtime works again", {{"runtime", runtime}});
}

void runtime_breakers::failed(const std::string& runtime, permit which)
{
    auto& breaker = breakers_[runtime];
    const auto now = time_.steady_now();
    const auto before = breaker.state_at(now);
    breaker.failed(which, now);
    if (breaker.state_at(now) == circuit_breaker::state::open && before != circuit_breaker::state::open)
        log_.error("a runtime keeps failing and is left alone for a while",
            {{"runtime", runtime}, {"faults", breaker.faults()}, {"pause_ms", breaker.pause_left(now).count()}});
}

runtime_breakers::view runtime_breakers::of(const std::string& runtime) const
{
    const auto found = breakers_.find(runtime);
    if (found == breakers_.end())
        return {};
    const auto now = time_.steady_now();
    return {found->second.state_at(now), found->second.faults(), found->second.pause_left(now)};
}

std::string runtime_breakers::refusal(const std::string& runtime) const
{
    const auto now = of(runtime);
    auto text = "the runtime \"" + runtime + "\" failed " + std::to_string(now.faults) + " times in a row; it is tried again ";
    if (now.pause_left.count() == 0)
        return text + "by one execution at a time";
    return text + "in " + std::to_string((now.pause_left.count() + 999) / 1000) + " s";
}

}    // namespace caisson
