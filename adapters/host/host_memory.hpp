#pragma once

#include "adapters/host/cgroup/cgroup_io.hpp"

#include <cstdint>
#include <string_view>

namespace caisson {

/// Where control groups for sandboxes are made: at the top of what a process sees, or in its own.
enum class groups_at { top, own };

/// Bytes of memory that sandboxes may use: the host's, or less where a control group above theirs, of v1 or v2, has a limit. What is above
/// the groups that this process sees is not known. 0 where `meminfo` does not tell the host's. The texts are of /proc/meminfo,
/// /proc/self/mountinfo and /proc/self/cgroup.
std::int64_t usable_memory_bytes(
    const cgroup_io& io, groups_at where, std::string_view meminfo, std::string_view mountinfo, std::string_view self_cgroup);

}    // namespace caisson
