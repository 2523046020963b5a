#pragma once

#include "adapters/containers/docker_sandbox.hpp"
#include "adapters/containers/image_settings.hpp"
#include "adapters/engine/create_warnings.hpp"
#include "adapters/host/local_runtime.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson {

struct docker_options {
    local_runtime_options local;
    std::string name = "docker";             // of the runtime
    std::string engine_runtime = "runc";     // the engine's OCI runtime
    std::string name_prefix = "caisson-";    // of containers
    std::string default_image = {};          // if a spec names none
    std::string trial_image = {};            // for probe(); empty: it creates and removes an empty image
    std::vector<std::string> images = {};    // allowed by the config; probe() reports if the engine has none of them
    disk_read_limits disk_reads = {};        // for each container
    uid_t first_uid = 700'000;               // the sandboxes' range of host uids
    uid_t last_uid = 765'535;
    std::string uid_lock_dir = "/run/caisson/uids";    // shared by all servers of the host
};

/// Sandboxes as containers of a Docker Engine on the server's host; the server must be root. Each has its own host uid and the engine's
/// namespaces. As for other local sandboxes, the server's cgroups hold the programs. The agent runs programs, not docker exec.
class docker_runtime : public local_runtime {
public:
    /// `on` must outlive the runtime and its sandboxes.
    docker_runtime(local_services services, docker::engine& on, docker_options options);

    runtime_traits traits() const override { return {.has_images = true}; }
    task<> probe() override;
    /// False also if the limits differ and the engine enforces any of them: those cannot change.
    bool can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const override;
    std::int64_t idle_bytes() const override { return 24 << 20; }    // with the engine's process per container
    task<result<std::unique_ptr<sandbox>>> recover(sandbox_id id, std::string runtime_state) override;
    /// Errors of this and the next: errc::runtime_unavailable or errc::timed_out, within seconds, if the engine is unreachable.
    task<result<std::vector<sandbox_id>>> left_overs() override;
    task<result<void>> remove_left_over(sandbox_id id, std::string runtime_state) override;

protected:
    std::unique_ptr<local_sandbox> make_sandbox(sandbox_id id, local_record record, std::optional<run_directory> directory) override;
    result<void> take_uid(local_sandbox& created) override;
    result<void> prepare(local_sandbox& created) override;
    /// Errors: errc::image_unavailable if the engine does not have the image; errc::image_not_allowed if its volumes cannot be covered.
    task<result<void>> prepare_outside(local_sandbox* created, sandbox_spec spec) override;
    task<result<void>> start_local(local_sandbox* created) override;
    void fit_trial(sandbox_spec& spec) const override;
    std::optional<std::string> missing() const override;
    result<void> inspect(const local_sandbox& running, runtime_capabilities& found) override;

private:
    docker::container_spec plan(const local_sandbox& created, const sandbox_spec& spec) const;
    task<result<void>> copy_agent(const local_sandbox* created);
    task<result<void>> make_container(local_sandbox* created, sandbox_spec spec);
    task<result<std::vector<std::string>>> create_container(local_sandbox* created, sandbox_spec spec);
    task<bool> has_an_image();
    task<result<std::vector<sandbox_id>>> with_trial_images(std::vector<sandbox_id> found);
    task<result<std::vector<docker::container_summary>>> list_soon();
    void report_weaknesses(const local_sandbox& running, std::string_view agent_status, runtime_capabilities& found) const;

    docker_options options_;
    docker::container_settings settings_;    // without the members that differ for each sandbox
    bool bounds_disks_ = true;               // limits the containers' disk reads
    docker::engine& engine_;
    docker::containers containers_;
    docker::images images_;
    docker::create_warnings warnings_;
    uid_allocator uids_;
    bool has_image_ = true;
    std::optional<steady_time> away_until_;    // the engine did not answer; further sweeps fail at once until then
    std::optional<pid_t> away_listener_;       // unless another process listens by then
};

}    // namespace caisson
