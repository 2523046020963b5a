#include "adapters/containers/container_cgroup.hpp"

#include "adapters/host/small_file.hpp"

namespace caisson::docker {

namespace {

constexpr std::size_t most_mounts_bytes = 4 << 20;
constexpr std::size_t id_length = 64;    // hexadecimal digits, in Docker and Podman

constexpr unsigned all_that_is_read = cgroup_control::memory | cgroup_control::pids | cgroup_control::cpu_usage;

/// The controllers of a cgroup v1 mount.
unsigned controls_of(const cgroup_mount& mount)
{
    unsigned controls = 0;
    for (const auto& name : mount.controllers) {
        if (name == "memory")
            controls |= cgroup_control::memory;
        else if (name == "pids")
            controls |= cgroup_control::pids;
        else if (name == "cpuacct")
            controls |= cgroup_control::cpu_usage;
    }
    return controls;
}

}    // namespace

std::vector<cgroup_member> cgroup_members(std::string_view mountinfo, std::string_view cgroup_of_process, const std::string& container)
{
    const auto mounts = parse_cgroup_mounts(mountinfo, cgroup_of_process);
    unsigned of_v1 = 0;
    for (const auto& mount : mounts)
        of_v1 |= controls_of(mount);
    std::vector<cgroup_member> members;
    for (const auto& mount : mounts) {
        // A controller is in one hierarchy only: on hybrid hosts v2 has those that v1 lacks.
        const auto controls = mount.version == cgroup_version::v2 ? all_that_is_read & ~of_v1 : controls_of(mount);
        if (controls != 0 && !container.empty() && mount.own_group.find(container) != std::string::npos)
            members.push_back({mount.own_group, mount.version, controls});
    }
    return members;
}

control_group cgroup_of(std::shared_ptr<cgroup_io> io, std::int64_t pid, const std::string& container)
{
    if (container.size() < id_length)
        return {};
    const auto mounts = read_small_file("/proc/self/mountinfo", most_mounts_bytes);
    const auto groups = pid > 0 ? read_small_file("/proc/" + std::to_string(pid) + "/cgroup") : std::nullopt;
    if (!mounts || !groups)
        return {};
    return {std::move(io), cgroup_members(*mounts, *groups, container)};
}

}    // namespace caisson::docker
