#pragma once

#include "adapters/host/sandbox_groups.hpp"

namespace caisson {

/// Freezes and thaws the programs of a sandbox, not its agent.
class sandbox_freezer {
public:
    /// `time` and `groups` outlive it.
    sandbox_freezer(timers& time, sandbox_groups& groups) : time_(time), groups_(groups) { }

    /// Call for a new sandbox: nothing of it is frozen.
    void mark_new() { may_be_frozen_ = false; }
    /// Returns when the kernel has frozen all programs; what starts from then on is frozen. After a failure nothing is frozen. Errors:
    /// errc::not_implemented if the host cannot freeze; errc::timed_out; errc::runtime_unavailable.
    task<result<void>> freeze();
    /// Errors: errc::not_implemented, errc::runtime_unavailable.
    task<result<void>> thaw();
    /// Call before a kill: the freezer of cgroup v1 blocks even SIGKILL. What starts from then on is not frozen. Ignores failures.
    void thaw_for_kill();

private:
    timers& time_;
    sandbox_groups& groups_;
    bool may_be_frozen_ = true;    // false once known that nothing is frozen
};

}    // namespace caisson
