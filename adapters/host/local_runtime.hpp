#pragma once

#include "adapters/host/local_sandbox.hpp"
#include "adapters/host/sandbox_stock.hpp"
#include "adapters/host/sandbox_traces.hpp"

#include <string>
#include <vector>

namespace caisson {

struct local_runtime_options {
    std::string data_dir;       // of the server
    std::string instance;       // of the server, unique on this host
    std::string launch_path;    // caisson-launch
    std::string agent_path;     // caisson-agent
    /// agent_path is the agent built into the launcher: both are the server's own, so one fork server may start all sandboxes. Otherwise
    /// each start executes launch_path.
    bool launcher_has_agent = false;
    /// Run directories of all runtimes of the server; new ones are made in the first. Empty: `run` in data_dir.
    std::vector<std::string> run_dirs = {};
    std::size_t most_prepared = 0;    // see runtime::most_prepared()
};

/// Common part of the runtimes of this host: makes sandboxes with run directory, groups and record, finds them again, and tries one. What
/// differs between runtimes is virtual.
class local_runtime : public runtime {
public:
    std::string_view name() const override { return capabilities_.name; }
    const runtime_capabilities& capabilities() const override { return capabilities_; }
    /// The server controls the groups, so their limits can be changed.
    bool can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const override { return alike_but_for_groups(ready, wanted); }
    task<> probe() override;
    task<result<std::unique_ptr<sandbox>>> create(sandbox_spec spec) override;
    std::size_t prepared() const override { return stock_.size(); }
    std::size_t most_prepared() const override { return options_.most_prepared; }
    task<result<void>> prepare_ahead(sandbox_id id, sandbox_limits limits) override;
    task<> discard_prepared(std::size_t kept) override;
    task<result<std::unique_ptr<sandbox>>> recover(sandbox_id id, std::string runtime_state) override;
    task<result<void>> start(sandbox& created) override { return start_local(static_cast<local_sandbox*>(&created)); }
    task<result<std::vector<sandbox_id>>> left_overs() override;
    task<result<void>> remove_left_over(sandbox_id id, std::string runtime_state) override;

protected:
    local_runtime(std::string name, local_services services, local_runtime_options options);

    /// Returns an object of the runtime's own class.
    virtual std::unique_ptr<local_sandbox> make_sandbox(sandbox_id id, local_record record, std::optional<run_directory> directory) = 0;
    /// Prepares what a new sandbox needs besides directory, groups and socket. Runs on a worker. Errors: errc::runtime_unavailable.
    virtual result<void> prepare(local_sandbox& created) = 0;
    /// Acquires the sandbox's own host uid, if it gets one, before its record is written. Runs on a worker. Errors:
    /// errc::runtime_unavailable.
    virtual result<void> take_uid(local_sandbox& /*created*/) { return {}; }
    /// Asynchronous part of the preparation, after prepare(). Errors: errc::runtime_unavailable.
    virtual task<result<void>> prepare_outside(local_sandbox* created, sandbox_spec spec);
    /// start() for a sandbox of the runtime's own class.
    virtual task<result<void>> start_local(local_sandbox* created) = 0;
    /// Completes the spec of the trial sandbox that probe() makes.
    virtual void fit_trial(sandbox_spec& spec) const;
    /// Nothing if a sandbox can be tried here; else a sentence that tells the remedy.
    virtual std::optional<std::string> missing() const = 0;
    /// Inspects a probe's running sandbox from outside and adds its findings. Errors: why the runtime must not be used.
    virtual result<void> inspect(const local_sandbox& running, runtime_capabilities& found) = 0;
    /// Text for the operator about the failure of a trial sandbox.
    virtual std::string explain(const std::string& failure) const { return failure; }

    const local_services& services() const { return services_; }
    const local_runtime_options& options() const { return options_; }
    const local_sandbox::live_set& live() const { return services_.live; }

private:
    task<result<void>> try_sandbox(runtime_capabilities* found);
    task<result<void>> try_running(local_sandbox* created, runtime_capabilities* found);
    std::unique_ptr<local_sandbox> begin(const sandbox_spec& spec);
    result<void> prepare_parts(local_sandbox& created, const sandbox_spec& spec);
    task<result<void>> prepare_all(local_sandbox* created, sandbox_spec spec);
    task<result<void>> prepare_with_group(local_sandbox* created, sandbox_spec spec);
    std::unique_ptr<local_sandbox> find_left_over(const sandbox_id& id, const std::string& runtime_state = {});

    local_services services_;
    local_runtime_options options_;
    runtime_capabilities capabilities_;
    sandbox_traces traces_;
    sandbox_stock stock_;    // its sandboxes are destructed after the derived runtime, which only destroy() would need
};

/// Nothing if `path` is executable; else a sentence with `remedy`.
std::optional<std::string> not_executable(const std::string& path, const std::string& remedy);

}    // namespace caisson
