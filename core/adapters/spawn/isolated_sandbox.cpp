#include "core/adapters/spawn/isolated_sandbox.hpp"

#include "core/adapters/spawn/netlink_memory.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

namespace caisson {

namespace {

bool has_own_network(pid_t pid)
{
    struct stat its{};
    struct stat ours{};
    const auto path = "/proc/" + std::to_string(pid) + "/ns/net";
    return ::stat(path.c_str(), &its) == 0 && ::stat("/proc/self/ns/net", &ours) == 0 && its.st_ino != ours.st_ino;
}

}    // namespace

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

std::int64_t isolated_sandbox::netlink_bytes(std::int64_t enough) const
{
    if (is_leaving_)
        return 0;
    if (!netlink_)
        netlink_ = find_netlink();
    return netlink_ ? caisson::netlink_bytes(netlink_.get(), enough) : 0;
}

/// Of what shares the host's network, or cannot be told apart from that as by an ordinary user, it would be others' sockets: invalid.
unique_fd isolated_sandbox::find_netlink() const
{
    if (!agent() || !has_own_network(agent()->identity().pid))
        return {};
    auto table = open_netlink_table(agent()->identity().pid);
    // Alive after the open: then it is this agent's network and not that of a process with its number.
    return agent()->alive() ? std::move(table) : unique_fd();
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
    netlink_.reset();
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
