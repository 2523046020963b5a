#pragma once

#include "adapters/host/local_services.hpp"
#include "adapters/host/sandbox_freezer.hpp"
#include "adapters/host/sandbox_groups.hpp"
#include "adapters/host/sandbox_processes.hpp"
#include "adapters/host/stored_record.hpp"
#include "adapters/host/uid_allocator.hpp"
#include "core/runtime/ports.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace caisson {

/// A sandbox whose agent is a process of this host, reached over a socket in its run directory.
class local_sandbox : public sandbox {
public:
    /// Ids of the sandboxes that have an object here. Sweeping spares these.
    using live_set = std::shared_ptr<std::multiset<sandbox_id>>;

    local_sandbox(local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory, live_set live);
    ~local_sandbox() override;

    const sandbox_id& id() const override { return id_; }
    std::string runtime_state() const override { return record().to_json(); }
    std::string work_directory() const override { return record().work_directory; }
    std::string image_digest() const override { return record().made_of ? record().made_of->image_digest : std::string(); }
    std::optional<steady_time> made_at() const override { return record().made_at(); }
    task<result<std::unique_ptr<protocol::byte_stream>>> connect() override;
    result<std::unique_ptr<execution_group>> open_group(group_name name, group_limits limits) override
    {
        return groups_.open(name, limits);
    }
    void make_group_at_start(group_limits limits) override { groups_.wish(limits); }
    result<void> claim(const sandbox_limits& limits, execution_group& made) override;
    std::optional<disk_usage> disk() const override { return std::nullopt; }
    task<std::string> ended() override;
    task<result<void>> pause() override { return freezer_.freeze(); }
    task<result<void>> resume() override { return freezer_.thaw(); }
    task<result<void>> stop() override;
    task<result<void>> destroy() override;

    // Called by the runtime that makes the sandbox.

    /// Repurposes a prepared sandbox for `spec`; its id stays. Call before start(). Does not block. Errors: errc::runtime_unavailable, also
    /// if its directory or a group was removed; then destroy it.
    result<void> repurpose(const sandbox_spec& spec);
    /// Call for a new sandbox: teardown then looks only for what this object made. `trees` are mounted at the start. They are not
    /// recorded: a sandbox starts once.
    void mark_new(std::vector<sandbox_tree> trees);
    const std::vector<sandbox_tree>& trees() const { return trees_; }
    sandbox_groups& groups() { return groups_; }
    stored_record& stored() { return stored_; }
    const local_record& record() const { return stored_.get(); }
    /// Only if stored().has_directory().
    const run_directory& directory() const { return stored_.directory(); }
    /// Makes the socket that leads to the agent. Errors: errc::runtime_unavailable.
    virtual result<void> open_listener();
    /// The listening socket until the agent has it; then invalid.
    unique_fd& listener() { return listener_; }
    /// Holds the lease until destroy() has ended everything. Call before the record is written.
    void hold(uid_lease lease);
    const std::optional<uid_lease>& lease() const { return lease_; }
    /// Keeps the agent's network namespace for a later sandbox.
    void keep_network();
    /// Records the process that the server started; adopt_agent() then writes the record to disk.
    void adopt_monitor(process_handle monitor);
    /// Records the agent, also on disk. Errors: errc::runtime_unavailable.
    result<void> adopt_agent(process_handle agent);
    /// Opens the recorded processes that still run. Returns true if the agent runs.
    bool find_processes();
    /// Reason, as a clause, why the agent is gone although the server did not end it.
    virtual task<std::string> why_gone();

protected:
    const std::optional<process_handle>& agent() const { return processes_.agent(); }
    const local_services& services() const { return services_; }
    /// First step of destroy(): removes what is neither a process, a group, nor in the run directory. If it fails, processes are ended
    /// nevertheless and the rest stays for the next try.
    virtual task<result<void>> remove_outside();
    /// Last step of destroy(), when nothing of the sandbox runs or is mounted.
    virtual void release_uid();

private:
    local_services services_;
    sandbox_id id_;
    stored_record stored_;
    sandbox_groups groups_;
    sandbox_freezer freezer_;
    sandbox_processes processes_;
    std::vector<sandbox_tree> trees_;
    live_set live_;
    unique_fd listener_;
    std::optional<uid_lease> lease_;
    unique_fd network_;    // the agent's network namespace, to be kept
};

}    // namespace caisson
