#pragma once

#include <chrono>
#include <cstddef>

namespace caisson::http {

/// A stream of lines or of server-sent events on which nothing happens says that it is there.
inline constexpr auto heartbeat_every = std::chrono::seconds(15);
/// Events are read for a viewer at least so many bytes at once, however many viewers share the memory.
inline constexpr std::size_t least_batch = 8 << 10;

}    // namespace caisson::http
