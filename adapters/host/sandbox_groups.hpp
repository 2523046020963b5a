#pragma once

#include "adapters/host/stored_record.hpp"
#include "core/async/offload.hpp"
#include "core/async/task.hpp"
#include "core/async/timers.hpp"
#include "core/runtime/ports.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace caisson {

/// The control groups of a sandbox: their names and limits, and which were made before they are needed. One user at a time.
class sandbox_groups {
public:
    /// `time` and `record` outlive it. The record names the sandbox's own group and its limits.
    sandbox_groups(timers& time, stored_record& record) : time_(time), record_(record) { }

    /// Call for a new sandbox: the search for groups then finds only what this object made.
    void mark_new()
    {
        may_have_compiler_ = may_have_later_programs_ = false;
        makes_frozen_ = false;
    }

    /// sandbox::open_group().
    result<std::unique_ptr<execution_group>> open(group_name name, group_limits limits);
    /// sandbox::make_group_at_start().
    void wish(group_limits limits);
    /// Makes the group requested with wish(), if any; open() reports a failure. Does not throw. Runs on any thread while no other uses
    /// the sandbox.
    void make_wished();
    /// Makes the group of the first program before the program is known; open() returns it. Runs on a worker. Errors:
    /// errc::runtime_unavailable.
    result<void> make_ahead();
    /// After make_ahead(): false if that group or the agent's was removed.
    bool is_ahead_intact() const;
    /// Changes the limits of the sandbox, recorded too, and of the group from make_ahead(). Errors: errc::runtime_unavailable.
    result<void> limit_ahead(const sandbox_limits& limits) { return limit(limits, *ahead_); }
    /// Likewise of `made`, the first program's group.
    result<void> limit(const sandbox_limits& limits, execution_group& made);

    bool can_freeze() const { return own().controls(cgroup_control::freeze); }
    /// Whether groups that open() makes are frozen from the start.
    void make_frozen(bool wanted) { makes_frozen_ = wanted; }
    /// Existing groups in which programs may run and that can be frozen.
    std::vector<control_group> of_programs() const;
    /// False if no hierarchy has a group of the whole sandbox with its agent.
    bool hold_agent() const { return !own().whole().members().empty(); }

    /// Forgets groups that open() did not hand out; remove() removes them.
    void drop_unused();
    void kill();
    /// Removes all groups of the sandbox. `workers` outlive the call. Errors: errc::timed_out.
    task<result<void>> remove(worker_pool& workers, steady_time deadline) const;

private:
    const control_group& own() const { return record_.get().group; }
    std::vector<control_group> known() const;
    group_limits whole() const;
    cgroup_limits within_whole(const group_limits& limits) const;
    result<std::unique_ptr<execution_group>> take_ahead(const group_limits& limits);
    result<void> make_place(group_name name);
    bool makes_frozen();

    timers& time_;
    stored_record& record_;
    std::optional<group_limits> wished_;                                       // limits for the group made at the start
    std::optional<result<std::unique_ptr<execution_group>>> made_at_start_;    // that group or its error, until handed out
    std::unique_ptr<execution_group> ahead_;                                   // group made with the record's limits, until taken
    bool may_have_compiler_ = true;                                            // false once known that no compiler group exists
    bool may_have_later_programs_ = true;                                      // false once known that only program 1 has groups
    std::optional<bool> makes_frozen_;                                         // nothing: to be found out
};

}    // namespace caisson
