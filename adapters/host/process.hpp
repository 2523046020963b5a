#pragma once

#include "core/async/task.hpp"
#include "core/base/unique_fd.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace caisson {

/// A process of this host, named so that a number that was reused is never taken for it.
struct process_identity {
    pid_t pid = 0;
    std::uint64_t start_ticks = 0;    // field 22 of /proc/PID/stat: clock ticks after boot
    auto operator<=>(const process_identity&) const = default;
};

/// Holds a pidfd: signals go to this process or to none.
class process_handle {
public:
    /// Nothing if the process does not run any more, or another one has its number. Throws std::system_error if that cannot be seen
    /// now: no descriptor is left, for example.
    static std::optional<process_handle> open(process_identity identity);
    /// Of a process that cannot be reaped meanwhile, such as an own child. Nothing if there is none.
    static std::optional<process_handle> open_running(pid_t pid);

    const process_identity& identity() const { return identity_; }
    /// False once it has exited, also while it is a zombie.
    bool alive() const;
    void send(int signal_number) const noexcept;

    /// Returns when the process has exited: its wait status if it was a child of this process, which is reaped; else nothing.
    /// The handle may die meanwhile.
    task<std::optional<int>> wait() const;

private:
    process_handle(process_identity identity, unique_fd pidfd) : identity_(identity), pidfd_(std::move(pidfd)) { }
    process_identity identity_;
    unique_fd pidfd_;
};

/// With what it has begun: the first process of a sandbox that is not known yet, and may be in no group. `pid` is an own child that was not
/// waited for.
void kill_with_children(pid_t pid) noexcept;
/// Direct children of a process, those of all its threads.
std::vector<pid_t> children_of(pid_t pid);
/// The parent of a process, its parent, and so on, as far as this pid namespace goes.
std::vector<pid_t> ancestors_of(pid_t pid);
/// All processes below `pid` that are not zombies, in no order.
std::vector<pid_t> descendants_of(pid_t pid);

}    // namespace caisson
