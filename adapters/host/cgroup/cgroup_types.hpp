#pragma once

#include "adapters/host/cgroup/cgroup_mounts.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace caisson {

/// Uses of a hierarchy: bits of an unsigned.
namespace cgroup_control {
inline constexpr unsigned memory = 1;
inline constexpr unsigned pids = 2;
inline constexpr unsigned cpu = 4;
inline constexpr unsigned cpu_usage = 8;
inline constexpr unsigned freeze = 16;
inline constexpr unsigned kill = 32;
inline constexpr unsigned swap = 64;    // of memory
inline constexpr unsigned disk_reads = 128;
inline constexpr unsigned tcp = 256;    // v1: memory of TCP sockets, limited separately
}    // namespace cgroup_control

/// A group's directory in one hierarchy.
struct cgroup_member {
    std::string directory;
    cgroup_version version = cgroup_version::v2;
    unsigned controls = 0;
    bool is_flat = false;    // v1 without freezer, if another hierarchy is not flat: sandbox_parts.hpp
};

/// The first of `members` with that control; null if none has it.
inline const cgroup_member* member_with(std::span<const cgroup_member> members, unsigned control)
{
    for (const auto& member : members)
        if ((member.controls & control) != 0)
            return &member;
    return nullptr;
}

/// Limits of a group; absent ones are not set.
struct cgroup_limits {
    std::optional<std::int64_t> memory_bytes;
    std::optional<std::int64_t> tcp_bytes = {};    // v1, with memory_bytes; absent: equal to it
    std::optional<std::int64_t> pids;
    std::optional<std::int64_t> cpu_milli;
    bool group_oom = false;    // on out of memory the kernel kills the whole group (v2)
};

}    // namespace caisson
