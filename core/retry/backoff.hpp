#pragma once

#include "core/retry/types.hpp"

#include <chrono>

namespace caisson {

/// Exponential delays between tries: each delay is `multiplier` times the previous one, from `first` up to `longest`.
struct backoff {
    std::chrono::milliseconds first{500};
    double multiplier = 2;    // at least 1
    std::chrono::milliseconds longest{10'000};
};

backoff backoff_of(const retry_policy& policy);

/// The delay before retry number `retry` (from 1) without jitter: 0 to backoff::longest.
std::chrono::milliseconds full_delay(int retry, const backoff& how);

/// The delay before retry number `retry` with full jitter: full_delay() times `draw`, a uniform random number from 0 to 1.
std::chrono::milliseconds delay_before(int retry, const backoff& how, double draw);

/// A random number in [0, 1) from the kernel's generator, for delay_before(). Throws std::system_error.
double draw_jitter();

}    // namespace caisson
