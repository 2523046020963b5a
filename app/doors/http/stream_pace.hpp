#pragma once

#include <chrono>
#include <cstddef>

namespace caisson::http {

/// Interval of heartbeats on a quiet stream. A failed heartbeat reveals that the client is gone.
inline constexpr auto heartbeat_every = std::chrono::seconds(15);
/// The least that a viewer reads at once, in bytes, however many viewers share the memory.
inline constexpr std::size_t least_batch = 8 << 10;

}    // namespace caisson::http
