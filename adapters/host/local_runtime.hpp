#pragma once

#include "adapters/host/local_sandbox.hpp"

#include <deque>
#include <string>
#include <vector>

namespace caisson {

struct local_runtime_options {
    std::string data_dir;       // of the server
    std::string instance;       // of the server, unique on this host
    std::string launch_path;    // caisson-launch
    std::string agent_path;     // caisson-agent
    /// That agent is the one that is part of the launcher, which was built with it: both are the server's own, and one launcher may serve
    /// for all sandboxes. Else each is made by what launch_path names then.
    bool launcher_has_agent = false;
    /// Of run directories, of all runtimes of the server: new ones are made in the first. Empty: run in data_dir.
    std::vector<std::string> run_dirs = {};
    std::size_t most_prepared = 0;    // see runtime::most_prepared()
};

/// What the runtimes of this host have in common: run directories, cgroups, records, recovery and sweeping.
class local_runtime : public runtime {
public:
    std::string_view name() const override { return capabilities_.name; }
    const runtime_capabilities& capabilities() const override { return capabilities_; }
    /// The groups are this server's: what they limit can be changed.
    bool can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const override { return alike_but_for_groups(ready, wanted); }
    task<> probe() override;
    task<result<std::unique_ptr<sandbox>>> create(sandbox_spec spec) override;
    std::size_t prepared() const override { return prepared_.size(); }
    std::size_t most_prepared() const override { return options_.most_prepared; }
    task<result<void>> prepare_ahead(sandbox_id id, sandbox_limits limits) override;
    task<> discard_prepared(std::size_t kept) override;
    task<result<std::unique_ptr<sandbox>>> recover(sandbox_id id, std::string runtime_state) override;
    task<result<void>> start(sandbox& created) override { return start_local(static_cast<local_sandbox*>(&created)); }
    task<result<std::vector<sandbox_id>>> left_overs() override;
    task<result<void>> remove_left_over(sandbox_id id, std::string runtime_state) override;

protected:
    local_runtime(std::string name, local_services services, local_runtime_options options);

    /// An object of the runtime's own class.
    virtual std::unique_ptr<local_sandbox> make_sandbox(sandbox_id id, local_record record, std::optional<run_directory> directory) = 0;
    /// What a new sandbox needs besides its directory, groups and socket. On a worker. Errors: errc::runtime_unavailable.
    virtual result<void> prepare(local_sandbox& created) = 0;
    /// Before its record is written: holds a host uid for it, if it is to have its own. On a worker. Errors: errc::runtime_unavailable.
    virtual result<void> take_uid(local_sandbox& /*created*/) { return {}; }
    /// The part of it that waits, afterwards. Errors: errc::runtime_unavailable.
    virtual task<result<void>> prepare_outside(local_sandbox* created, sandbox_spec spec);
    /// start() of a sandbox of the own class.
    virtual task<result<void>> start_local(local_sandbox* created) = 0;
    /// Completes what probe() makes its trial sandbox of.
    virtual void fit_trial(sandbox_spec& spec) const;
    /// Nothing if a sandbox can be tried here; else a sentence that says what to do.
    virtual std::optional<std::string> missing() const = 0;
    /// Looks from outside at a probe's running sandbox, and adds what it finds. Errors: why the runtime must not be used.
    virtual result<void> inspect(const local_sandbox& running, runtime_capabilities& found) = 0;
    /// What a trial sandbox's failure should say to an operator.
    virtual std::string explain(const std::string& failure) const { return failure; }

    local_services& services() { return services_; }
    const local_services& services() const { return services_; }
    const local_runtime_options& options() const { return options_; }
    const local_sandbox::live_set& live() const { return services_.live; }

private:
    runtime_capabilities known_without_trying(std::string name) const;
    task<result<void>> try_sandbox(runtime_capabilities* found);
    task<result<void>> try_running(local_sandbox* created, runtime_capabilities* found);
    std::unique_ptr<local_sandbox> begin(const sandbox_spec& spec);
    task<result<void>> make_whole(local_sandbox* begun, task<result<void>> work);
    result<void> prepare_parts(local_sandbox& created, const sandbox_spec& spec);
    task<result<void>> prepare_all(local_sandbox* created, sandbox_spec spec);
    task<result<void>> prepare_with_group(local_sandbox* created, sandbox_spec spec);
    std::unique_ptr<local_sandbox> take_prepared(const sandbox_spec& spec);
    task<> remove_spoiled();
    std::optional<run_directory> open_directory(const sandbox_id& id) const;
    bool is_of_another_runtime(const sandbox_id& id) const;
    std::unique_ptr<local_sandbox> find_left_over(const sandbox_id& id, const std::string& runtime_state = {});
    task<result<void>> remove_traces(local_sandbox* left);
    task<> kill_unrecorded(sandbox_id id);

    local_services services_;
    local_runtime_options options_;
    runtime_capabilities capabilities_;
    // Until they are taken; what makes them is gone before them, which matters to destroy() only.
    std::deque<std::unique_ptr<local_sandbox>> prepared_;    // the oldest first
    std::vector<std::unique_ptr<local_sandbox>> spoiled_;    // were prepared, and are to be removed
};

/// Nothing if `path` can be executed.
std::optional<std::string> not_executable(const std::string& path, const std::string& remedy);

}    // namespace caisson
