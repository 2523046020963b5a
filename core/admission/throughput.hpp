#pragma once

#include "core/base/clock.hpp"

#include <chrono>
#include <optional>

namespace caisson {

/// Rate at which executions end, averaged over about the last minute with exponentially decaying weight. No I/O.
class throughput {
public:
    /// Counts the end of one execution.
    void count(steady_time now);
    /// Nothing before the first count().
    std::optional<double> per_second(steady_time now) const;

private:
    std::optional<steady_time> first_;
    steady_time last_;
    double weighted_ = 0;
};

/// Retry-After for a refused client: the estimated time until `turns` executions have ended, from `shortest_retry` to
/// `longest_retry`. `shortest_retry` if no rate is known.
std::chrono::seconds retry_after(std::size_t turns, std::optional<double> per_second);

inline constexpr std::chrono::seconds shortest_retry{1};
inline constexpr std::chrono::seconds longest_retry{60};

}    // namespace caisson
