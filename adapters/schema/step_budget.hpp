#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace caisson {

/// Thrown to end a check that costs too much; caught within this folder.
struct given_up {
    std::string why;
};

/// Cost limit of one check. A step is at most about half a microsecond of work for any schema and value, so all steps together take at most
/// a second.
class step_budget {
public:
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr std::size_t most_steps = 2'000'000;
    static constexpr std::chrono::seconds longest{2};

    explicit step_budget(std::size_t steps = most_steps, time_point until = std::chrono::steady_clock::now() + longest)
        : most_(steps), until_(until)
    {
    }

    /// Call before the work. Throws given_up.
    void charge(std::size_t steps = 1);
    std::size_t used() const { return used_; }

private:
    const std::size_t most_;
    const time_point until_;
    std::size_t used_ = 0;
    std::size_t next_look_ = 0;    // next check of the clock
};

}    // namespace caisson
