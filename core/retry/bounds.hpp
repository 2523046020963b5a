#pragma once

#include <cstddef>
#include <cstdint>

/// Upper bounds of a retry_policy, in requests and in skill manifests.
namespace caisson::retry_bounds {

inline constexpr int attempts = 10;
inline constexpr std::int64_t first_delay_ms = 60'000;
inline constexpr std::int64_t delay_ms = 600'000;
inline constexpr std::int64_t multiplier = 10;    // at least 1
inline constexpr std::size_t exit_codes = 50;
inline constexpr std::int64_t exit_code = 255;    // at least 1

}    // namespace caisson::retry_bounds
