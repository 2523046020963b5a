#pragma once

#include "core/retry/types.hpp"

#include <chrono>

namespace caisson {

/// How long to wait between tries: the first pause, what each further one is longer by, and the longest.
struct backoff {
    std::chrono::milliseconds first{500};
    double multiplier = 2;    // at least 1
    std::chrono::milliseconds longest{10'000};
};

backoff backoff_of(const retry_policy& policy);

/// The longest pause before the retry number `retry` (1 is the first), without jitter: 0 to backoff::longest.
std::chrono::milliseconds full_delay(int retry, const backoff& how);

/// The pause before the retry number `retry`, with full jitter: the part `draw` (0 to 1, uniformly drawn) of full_delay().
std::chrono::milliseconds delay_before(int retry, const backoff& how, double draw);

/// A number from 0 up to but without 1, for delay_before(). From the kernel's generator; throws std::system_error.
double draw_jitter();

}    // namespace caisson
