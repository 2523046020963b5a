#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace caisson {

/// Ends a check that costs too much; never leaves this folder.
struct given_up {
    std::string why;
};

/// What one check may cost. A step is at most about half a microsecond of work, whatever the schema and the value are, so that all
/// steps together are a second at the very worst.
class step_budget {
public:
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr std::size_t most_steps = 2'000'000;
    static constexpr std::chrono::seconds longest{2};

    explicit step_budget(std::size_t steps = most_steps, time_point until = std::chrono::steady_clock::now() + longest)
        : most_(steps), until_(until)
    {
    }

    /// Call it before the work. Throws given_up.
    void charge(std::size_t steps = 1);
    std::size_t used() const { return used_; }

private:
    const std::size_t most_;
    const time_point until_;
    std::size_t used_ = 0;
    std::size_t next_look_ = 0;    // at the clock
};

}    // namespace caisson
