#pragma once

#include "core/async/task.hpp"
#include "core/base/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace caisson {

/// A process of this host. The start time distinguishes it from another with a reused pid.
struct process_identity {
    pid_t pid = 0;
    std::uint64_t start_ticks = 0;    // field 22 of /proc/PID/stat: clock ticks after boot
    auto operator<=>(const process_identity&) const = default;
};

/// Holds a pidfd: signals reach this process or none.
class process_handle {
public:
    /// Nothing if the process has ended or its pid belongs to another one. Throws std::system_error if that cannot be determined now, for
    /// example without descriptors.
    static std::optional<process_handle> open(process_identity identity);
    /// For a process that cannot be reaped meanwhile, such as an own child. Nothing if it does not exist.
    static std::optional<process_handle> open_running(pid_t pid);

    const process_identity& identity() const { return identity_; }
    /// False once it has exited, also while it is a zombie.
    bool alive() const;
    void send(int signal_number) const noexcept;

    /// Returns when the process has exited: the wait status of a child of this process, which is reaped; else nothing. The handle may be
    /// destroyed meanwhile.
    task<std::optional<int>> wait() const;

private:
    process_handle(process_identity identity, unique_fd pidfd) : identity_(identity), pidfd_(std::move(pidfd)) { }
    process_identity identity_;
    unique_fd pidfd_;
};

/// Kills `pid`, an own child not yet waited for, and its children: the first process of a sandbox is among them while it is still unknown
/// and perhaps in no group.
void kill_with_children(pid_t pid) noexcept;
/// Direct children of a process, of all its threads.
std::vector<pid_t> children_of(pid_t pid);
/// The parent of a process, the parent's parent, and so on within this pid namespace.
std::vector<pid_t> ancestors_of(pid_t pid);
/// All processes below `pid` that are not zombies, unordered.
std::vector<pid_t> descendants_of(pid_t pid);

}    // namespace caisson
