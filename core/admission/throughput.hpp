#pragma once

#include "core/base/clock.hpp"

#include <chrono>
#include <optional>

namespace caisson {

/// How many executions end a second, by the last minute or so: what lies further back counts less. No I/O.
class throughput {
public:
    /// One has ended.
    void count(steady_time now);
    /// Nothing until one has ended.
    std::optional<double> per_second(steady_time now) const;

private:
    std::optional<steady_time> first_;
    steady_time last_;
    double weighted_ = 0;
};

/// What a refused client is told to wait until `turns` executions have ended: from `shortest_retry` to `longest_retry`, the
/// shortest while nothing was measured.
std::chrono::seconds retry_after(std::size_t turns, std::optional<double> per_second);

inline constexpr std::chrono::seconds shortest_retry{1};
inline constexpr std::chrono::seconds longest_retry{60};

}    // namespace caisson
