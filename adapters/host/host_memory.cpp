#include "adapters/host/host_memory.hpp"

#include "adapters/host/cgroup/cgroup_mounts.hpp"
#include "adapters/host/cgroup/kernel_text.hpp"

#include <algorithm>
#include <filesystem>

namespace caisson {

namespace {

/// The lowest limit of a group and its ancestors; nothing if none has a limit.
std::optional<std::int64_t> limit_of(const cgroup_io& io, groups_at where, const cgroup_mount& mount)
{
    const std::string file = mount.version == cgroup_version::v2 ? "/memory.max" : "/memory.limit_in_bytes";
    std::optional<std::int64_t> least;
    for (std::filesystem::path group = where == groups_at::own ? mount.own_group : mount.path; group.native().starts_with(mount.path);
        group = group.parent_path()) {
        const auto limit = number_of(io.read(group.native() + file).value_or(""));    // "max" is not a number
        if (limit)
            least = std::min(least.value_or(*limit), *limit);
        if (group == mount.path)
            break;
    }
    return least;
}

/// Reads the first line of proc_meminfo(5): "MemTotal:       24683140 kB".
std::int64_t memory_of_host(std::string_view meminfo)
{
    constexpr std::string_view name = "MemTotal:";
    if (!meminfo.starts_with(name))
        return 0;
    meminfo.remove_prefix(std::min(meminfo.find_first_not_of(' ', name.size()), meminfo.size()));
    return number_of(take_line(meminfo)).value_or(0) * 1'024;
}

}    // namespace

std::int64_t usable_memory_bytes(
    const cgroup_io& io, groups_at where, std::string_view meminfo, std::string_view mountinfo, std::string_view self_cgroup)
{
    auto least = memory_of_host(meminfo);
    for (const auto& mount : parse_cgroup_mounts(mountinfo, self_cgroup))
        if (const auto limit = limit_of(io, where, mount))
            least = std::min(least, *limit);
    return least;
}

}    // namespace caisson
