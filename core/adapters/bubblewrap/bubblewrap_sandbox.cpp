#include "core/adapters/bubblewrap/bubblewrap_sandbox.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>

namespace caisson {

std::optional<disk_usage> bubblewrap_sandbox::disk() const
{
    if (!agent())
        return std::nullopt;
    const auto path = "/proc/" + std::to_string(agent()->identity().pid) + "/root";
    const unique_fd root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    // Alive after the open: then what was opened is this agent's root and not that of a process with its number.
    if (!root || !agent()->alive())
        return std::nullopt;
    const auto& place = record().work_directory;    // absolute, right below the root
    const unique_fd workspace(::openat(root.get(), place.c_str() + 1, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct statfs seen{};
    // Before bwrap has changed the root this would be the host's.
    if (!workspace || ::fstatfs(workspace.get(), &seen) != 0 || seen.f_type != TMPFS_MAGIC)
        return std::nullopt;
    return disk_usage{.bytes_exhausted = seen.f_bavail == 0, .inodes_exhausted = seen.f_ffree == 0};
}

void bubblewrap_sandbox::release_uid()
{
    const bool own_lease = lease().has_value();
    local_sandbox::release_uid();
    if (!own_lease && record().uid)
        uids_.clear(*record().uid, id());
}

}    // namespace caisson
