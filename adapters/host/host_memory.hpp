#pragma once

#include "adapters/host/cgroup/cgroup_io.hpp"

#include <cstdint>
#include <string_view>

namespace caisson {

/// Where the groups of sandboxes are made: at the top of the visible hierarchy, or in this process's own group.
enum class groups_at { top, own };

/// Bytes of memory that sandboxes may use: the host's memory, or a lower limit of a control group above theirs (v1 or v2). Groups above
/// those visible to this process are unknown. 0 if `meminfo` lacks the total. The texts are /proc/meminfo, /proc/self/mountinfo and
/// /proc/self/cgroup.
std::int64_t usable_memory_bytes(
    const cgroup_io& io, groups_at where, std::string_view meminfo, std::string_view mountinfo, std::string_view self_cgroup);

}    // namespace caisson
