#pragma once

#include "core/base/log.hpp"
#include "core/retry/circuit_breaker.hpp"

#include <map>
#include <string>
#include <vector>

namespace caisson {

/// One circuit breaker for each runtime, so that a host that cannot make sandboxes is not asked for each execution anew. What
/// programs do does not count: only what fails before one was handed over. I/O thread.
class runtime_breakers {
public:
    using permit = circuit_breaker::permit;

    /// Both outlive it.
    runtime_breakers(const clock& time, logger& log) : time_(time), log_(log) { }

    /// Whether a sandbox may be made. Tell the outcome of each try that may begin.
    permit ask(const std::string& runtime) { return breakers_[runtime].ask(time_.steady_now()); }
    void succeeded(const std::string& runtime);
    void failed(const std::string& runtime, permit which);
    void abandoned(const std::string& runtime, permit which) { breakers_[runtime].abandoned(which); }

    struct view {
        circuit_breaker::state state = circuit_breaker::state::closed;
        std::size_t faults = 0;    // in a row
        std::chrono::milliseconds pause_left{0};
    };
    view of(const std::string& runtime) const;
    /// What a refused try is told.
    std::string refusal(const std::string& runtime) const;

private:
    const clock& time_;
    logger& log_;
    std::map<std::string, circuit_breaker> breakers_;
};

}    // namespace caisson
