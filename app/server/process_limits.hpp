#pragma once

#include "core/base/config.hpp"

#include <cstdint>

namespace caisson {

/// Raises the soft limit of file descriptors to the hard one: each sandbox takes a few, each client one. Returns how many this process may
/// have, at most 2^20.
std::int64_t raise_descriptor_limit();

/// `config` clamped to this process's descriptors and to the uids, with fewer prepared and pooled sandboxes where those are few.
server_config within_host(server_config config, std::int64_t most_descriptors);

/// Maps each large buffer (bodies, files) on its own, so that its memory returns to the system at once. Output chunks stay below that size.
void set_allocator_limits();

}    // namespace caisson
