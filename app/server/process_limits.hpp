#pragma once

#include "core/base/config.hpp"

#include <cstdint>

namespace caisson {

/// Each sandbox takes a few descriptors here, each client one. Returns the most that a process may have.
std::int64_t raise_descriptor_limit();

/// `config` with what this process may not exceed, and fewer sandboxes that wait where its descriptors or uids are few.
server_config within_host(server_config config, std::int64_t most_descriptors);

/// Large buffers (bodies, files) are mapped one by one, so that they go back to the system at once; output chunks stay below.
void set_allocator_limits();

}    // namespace caisson
