#include "adapters/host/sandbox_measures.hpp"

#include "adapters/host/netlink_memory.hpp"
#include "adapters/host/record_locks.hpp"
#include "adapters/host/udp_memory.hpp"

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

void sandbox_measures::close()
{
    is_closed_ = true;
    locks_.reset();
    roots_.clear();
    netlink_.reset();
    socket_numbers_.reset();
}

std::optional<disk_usage> sandbox_measures::disk_at(const std::optional<process_handle>& agent, const std::string& place)
{
    if (is_closed_)
        return std::nullopt;
    auto& root = roots_[place];
    if (!root)
        root = find_root(agent, place);
    struct statfs seen{};
    if (!root || ::fstatfs(root.get(), &seen) != 0)
        return std::nullopt;
    const auto used = static_cast<std::int64_t>(seen.f_blocks - seen.f_bfree) * static_cast<std::int64_t>(seen.f_bsize);
    return disk_usage{.bytes_exhausted = seen.f_bavail == 0, .inodes_exhausted = seen.f_ffree == 0, .bytes_used = used};
}

std::int64_t sandbox_measures::uncounted_bytes(const std::optional<process_handle>& agent, const control_group& group, std::int64_t enough)
{
    if (is_closed_)
        return 0;
    const auto bytes = socket_bytes(agent, enough);
    return bytes < enough ? bytes + lock_bytes(agent, group, enough) : bytes;
}

std::int64_t sandbox_measures::socket_bytes(const std::optional<process_handle>& agent, std::int64_t enough)
{
    if (!netlink_)
        find_sockets(agent);
    if (!netlink_)
        return 0;
    const auto bytes = netlink_bytes(netlink_.get(), enough);
    return bytes < enough ? bytes + own_udp_bytes(agent, enough - bytes) : bytes;
}

/// Opens nothing if the sandbox shares the host's network, or if an ordinary user cannot tell: the sockets would be others'.
void sandbox_measures::find_sockets(const std::optional<process_handle>& agent)
{
    if (!agent || !has_own_network(agent->identity().pid))
        return;
    auto table = open_netlink_table(agent->identity().pid);
    auto numbers = open_socket_numbers(agent->identity().pid);
    // If the agent is alive after the open, the network is this agent's and not that of a process with a reused pid.
    if (!agent->alive())
        return;
    netlink_ = std::move(table);
    socket_numbers_ = std::move(numbers);
}

/// Reading takes a microsecond per socket: skip the read for few sockets, space out reads of many.
std::int64_t sandbox_measures::own_udp_bytes(const std::optional<process_handle>& agent, std::int64_t enough)
{
    constexpr std::int64_t few_sockets = 8;    // each holds at most 8 MiB, with rmem_max of 4 MiB
    constexpr int rest = 50;                   // pause before the next read, in multiples of the duration of the last
    const auto begin = time_.steady_now();
    if (begin < next_udp_look_ || !agent || count_sockets(socket_numbers_.get()) < few_sockets)
        return 0;
    const auto bytes = udp_bytes(agent->identity().pid, enough);
    const auto end = time_.steady_now();
    next_udp_look_ = end + (end - begin) * rest;
    return agent->alive() ? bytes : 0;    // as in find_sockets()
}

/// Locks need a bound: a program can set a million of them in a second of CPU time.
std::int64_t sandbox_measures::lock_bytes(const std::optional<process_handle>& agent, const control_group& group, std::int64_t enough)
{
    constexpr auto between_looks = std::chrono::milliseconds(500);
    const auto now = time_.steady_now();
    if (next_lock_look_ == steady_time())
        next_lock_look_ = now + between_looks;
    if (now < next_lock_look_ || !agent)
        return *locks_ * record_lock_bytes;
    auto processes = [group = group, agent = agent->identity().pid] {
        if (!group.members().empty())
            return group.processes();
        const auto below = descendants_of(agent);
        return std::set<pid_t>(below.begin(), below.end());
    };
    // Patience: three times the interval between calls, which the first call does not know.
    const auto asks_within = asked_for_lock_look_ == steady_time() ? between_looks : 3 * (now - asked_for_lock_look_) + between_looks;
    asked_for_lock_look_ = now;
    if (locks_of_all_->try_begin(
            workers_, std::move(processes), enough / record_lock_bytes, locks_, std::chrono::ceil<std::chrono::milliseconds>(asks_within)))
        next_lock_look_ = now + between_looks;
    return *locks_ * record_lock_bytes;
}

/// Invalid if there is no tmpfs at `place`.
unique_fd sandbox_measures::find_root(const std::optional<process_handle>& agent, const std::string& place)
{
    if (!agent)
        return {};
    const auto path = "/proc/" + std::to_string(agent->identity().pid) + "/root";
    const unique_fd root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    // If the agent is alive after the open, this is its root and not that of a process with a reused pid.
    if (!root || !agent->alive())
        return {};
    unique_fd opened(::openat(root.get(), place.c_str() + 1, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct statfs seen{};
    // Before the launcher or bwrap changes the root, this would be the host's directory.
    if (!opened || ::fstatfs(opened.get(), &seen) != 0 || seen.f_type != TMPFS_MAGIC)
        return {};
    return opened;
}

}    // namespace caisson
