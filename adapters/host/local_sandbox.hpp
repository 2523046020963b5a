#pragma once

#include "adapters/host/cgroup/cgroup_tree.hpp"
#include "adapters/host/fork_server.hpp"
#include "adapters/host/local_record.hpp"
#include "adapters/host/lock_looks.hpp"
#include "adapters/host/run_directory.hpp"
#include "adapters/host/uid_allocator.hpp"
#include "adapters/host/used_networks.hpp"
#include "core/async/offload.hpp"
#include "core/base/log.hpp"
#include "core/runtime/ports.hpp"

#include <memory>
#include <optional>
#include <set>

namespace caisson {

class cgroup_execution_group;

/// Services of the runtimes of this host. All of them outlive the runtimes and their sandboxes.
struct local_services {
    io_executor executor;
    timers& time;
    logger& log;
    worker_pool& workers;
    cgroup_tree& groups;    // one for all runtimes of a server
    // Shared by all runtimes of a server: ids of sandboxes that have an object, and ids that a sweep is removing.
    std::shared_ptr<std::multiset<sandbox_id>> live = std::make_shared<std::multiset<sandbox_id>>();
    std::shared_ptr<std::set<sandbox_id>> swept = std::make_shared<std::set<sandbox_id>>();
    std::shared_ptr<fork_server> forks = std::make_shared<fork_server>();    // also shared by all runtimes
    std::shared_ptr<used_networks> networks = std::make_shared<used_networks>();
    std::shared_ptr<lock_looks> locks = std::make_shared<lock_looks>();
};

/// A sandbox whose agent is a process of this host, reached over a socket in its run directory.
class local_sandbox : public sandbox {
public:
    /// Ids of the sandboxes that have an object here. Sweeping spares these.
    using live_set = std::shared_ptr<std::multiset<sandbox_id>>;

    local_sandbox(local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory, live_set live);
    ~local_sandbox() override;

    const sandbox_id& id() const override { return id_; }
    std::string runtime_state() const override { return record_.to_json(); }
    std::string work_directory() const override { return record_.work_directory; }
    std::string image_digest() const override { return record_.made_of ? record_.made_of->image_digest : std::string(); }
    task<result<std::unique_ptr<protocol::byte_stream>>> connect() override;
    result<std::unique_ptr<execution_group>> open_group(group_name name, group_limits limits) override;
    void make_group_at_start(group_limits limits) override;
    result<void> claim(const sandbox_limits& limits, execution_group& made) override;
    std::optional<disk_usage> disk() const override { return std::nullopt; }
    task<std::string> ended() override;
    task<result<void>> pause() override;
    task<result<void>> resume() override;
    task<result<void>> stop() override;
    task<result<void>> destroy() override;

    // Called by the runtime that makes the sandbox.

    /// Makes the group of the first program before the program is known; open_group() returns it. Runs on a worker. Errors:
    /// errc::runtime_unavailable.
    result<void> make_group_ahead();
    /// Repurposes a prepared sandbox for `spec`; its id stays. Call before start(). Does not block. Errors: errc::runtime_unavailable, also
    /// if its directory or a group was removed; then destroy it.
    result<void> serve(const sandbox_spec& spec);
    /// Call for a new sandbox: teardown then looks only for what this object made.
    void mark_new() { may_have_compiler_ = may_have_later_programs_ = may_be_frozen_ = false; }
    /// Sets the trees to mount at the start. They are not recorded: a sandbox starts once.
    void set_trees(std::vector<sandbox_tree> trees) { trees_ = std::move(trees); }
    const std::vector<sandbox_tree>& trees() const { return trees_; }
    const local_record& record() const { return record_; }
    void set_directory(run_directory made) { directory_ = std::move(made); }
    bool has_directory() const { return directory_.has_value(); }
    /// Only if has_directory().
    const run_directory& directory() const { return *directory_; }
    /// Makes the socket that leads to the agent. Errors: errc::runtime_unavailable.
    virtual result<void> open_listener();
    /// The listening socket until the agent has it; then invalid.
    unique_fd& listener() { return listener_; }
    /// Holds the lease until destroy() has ended everything. Call before the record is written.
    void hold(uid_lease lease);
    const std::optional<uid_lease>& lease() const { return lease_; }
    /// Keeps the agent's network namespace for a later sandbox.
    void keep_network();
    /// Records the engine's container, also on disk. Errors: errc::runtime_unavailable.
    result<void> set_container(local_record::container made);
    /// Records the process that the server started; adopt_agent() then writes the record to disk.
    void adopt_monitor(process_handle monitor);
    /// Makes the group requested with make_group_at_start(), if any. open_group() reports a failure. Does not throw. Runs on any thread
    /// while no other uses this object.
    void make_wished_group();
    /// Records the agent, also on disk. Errors: errc::runtime_unavailable.
    result<void> adopt_agent(process_handle agent);
    /// Opens the recorded processes that still run. Returns true if the agent runs.
    bool find_processes();
    std::optional<steady_time> made_at() const override;
    /// Reason, as a clause, why the agent is gone although the server did not end it.
    virtual task<std::string> why_gone();

protected:
    const std::optional<process_handle>& agent() const { return agent_; }
    local_services& services() { return services_; }
    const local_services& services() const { return services_; }
    control_group group() const { return record_.group; }
    bool can_freeze() const { return record_.group.controls(cgroup_control::freeze); }
    std::optional<run_directory> duplicate_directory() const { return directory_ ? directory_->duplicate() : std::nullopt; }
    /// First step of destroy(): removes what is neither a process, a group, nor in the run directory. If it fails, processes are ended
    /// nevertheless and the rest stays for the next try.
    virtual task<result<void>> remove_outside();
    /// Last step of destroy(), when nothing of the sandbox runs or is mounted.
    virtual void release_uid();

private:
    std::vector<control_group> freezable() const;
    std::vector<control_group> known_groups() const;
    cgroup_limits within_whole(const group_limits& limits) const;
    void stamp();
    result<std::unique_ptr<execution_group>> take_group_ahead(const group_limits& limits);
    result<void> limit_again(const sandbox_limits& limits, cgroup_execution_group& made);
    result<void> save() const { return directory_->write_state(record_.to_json()); }
    bool monitor_is_agent() const;
    void kill_agent();
    void kill_rest();
    void kill_below_agent();
    task<result<void>> wait_gone(steady_time deadline);

    local_services services_;
    sandbox_id id_;
    std::optional<group_limits> wished_;                                       // limits for the group made at the start
    std::optional<result<std::unique_ptr<execution_group>>> made_at_start_;    // that group or its error, until handed out
    std::unique_ptr<execution_group> ahead_;                                   // group made with record_.limits, until taken
    bool may_have_compiler_ = true;                                            // false once known that no compiler group exists
    bool may_have_later_programs_ = true;                                      // false once known that only program 1 has groups
    bool may_be_frozen_ = true;                                                // false once known that nothing is frozen
    bool is_paused_ = false;                                                   // by this object: what starts is frozen
    local_record record_;
    std::optional<run_directory> directory_;
    std::vector<sandbox_tree> trees_;
    live_set live_;
    unique_fd listener_;
    std::optional<uid_lease> lease_;
    unique_fd network_;    // the agent's network namespace, to be kept
    std::optional<process_handle> agent_;
    std::optional<process_handle> monitor_;
};

}    // namespace caisson
