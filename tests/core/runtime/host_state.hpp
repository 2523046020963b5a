#pragma once

#include "tests/core/runtime/runtime_world.hpp"

#include <cstddef>
#include <ostream>

namespace caisson::testing {

/// What a sandbox could leave behind, counted.
struct host_state {
    explicit host_state(runtime_world& world);
    bool operator==(const host_state&) const = default;

    std::size_t descriptors = 0;
    std::size_t children = 0;
    std::size_t run_directories = 0;
    std::size_t groups = 0;
    std::size_t mounts = 0;    // but those of engines and of others
    std::size_t uid_locks = 0;
    std::size_t containers = 0;
};

void PrintTo(const host_state& seen, std::ostream* out);

}    // namespace caisson::testing
