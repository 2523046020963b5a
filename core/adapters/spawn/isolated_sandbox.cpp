#include "core/adapters/spawn/isolated_sandbox.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>

namespace caisson {

std::optional<disk_usage> isolated_sandbox::disk() const { return disk_at(record().work_directory); }

std::optional<disk_usage> isolated_sandbox::disk_at(const std::string& place) const
{
    if (is_leaving_)
        return std::nullopt;
    auto& root = roots_[place];
    if (!root)
        root = find_root(place);
    struct statfs seen{};
    if (!root || ::fstatfs(root.get(), &seen) != 0)
        return std::nullopt;
    const auto used = static_cast<std::int64_t>(seen.f_blocks - seen.f_bfree) * static_cast<std::int64_t>(seen.f_bsize);
    return disk_usage{.bytes_exhausted = seen.f_bavail == 0, .inodes_exhausted = seen.f_ffree == 0, .bytes_used = used};
}

/// Invalid if there is no tmpfs.
unique_fd isolated_sandbox::find_root(const std::string& place) const
{
    if (!agent())
        return {};
    const auto path = "/proc/" + std::to_string(agent()->identity().pid) + "/root";
    const unique_fd root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    // Alive after the open: then what was opened is this agent's root and not that of a process with its number.
    if (!root || !agent()->alive())
        return {};
    unique_fd opened(::openat(root.get(), place.c_str() + 1, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct statfs seen{};
    // Before its maker has changed the root this would be the host's.
    if (!opened || ::fstatfs(opened.get(), &seen) != 0 || seen.f_type != TMPFS_MAGIC)
        return {};
    return opened;
}

task<result<void>> isolated_sandbox::destroy()
{
    is_leaving_ = true;
    roots_.clear();
    return local_sandbox::destroy();
}

void isolated_sandbox::release_uid()
{
    const bool own_lease = lease().has_value();
    local_sandbox::release_uid();
    if (!own_lease && record().uid)
        uids_.clear(*record().uid, id());
}

}    // namespace caisson
