#pragma once

#include "adapters/containers/agent_volume.hpp"
#include "adapters/containers/engine_sandbox.hpp"
#include "adapters/engine/create_warnings.hpp"
#include "adapters/engine/images.hpp"
#include "core/async/offload.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caisson {

struct engine_runtime_options {
    std::string name = "docker";             // of the runtime: "docker", "gvisor"
    std::string instance;                    // of the server; identifies its containers
    std::string engine_runtime = "runc";     // the engine's OCI runtime: "runc", "runsc"
    std::string name_prefix = "caisson-";    // of containers
    std::string user = "1000:1000";          // in containers, numeric
    std::string agent_path;                  // caisson-agent on this host
    /// The named volume ("caisson-agent-" and the start of the agent's digest) for an engine that does not see this host's files. It is
    /// filled on demand. Empty: the engine sees this host's files.
    std::string agent_volume = {};
    std::string default_image = {};          // if a spec names none
    std::string trial_image = {};            // for probe(); empty: it creates and removes an empty image
    std::vector<std::string> images = {};    // allowed by the config; probe() reports if the engine has none of them
    disk_read_limits disk_reads = {};        // for each container
    bool sees_disks = false;                 // the engine runs on this host, so its disks are known
};

/// Sandboxes as containers of a Docker Engine on any host, under gVisor, or under any OCI runtime if the server cannot share sockets and
/// cgroups with containers. The link to the agent is the container's attached stdio.
class engine_runtime : public runtime {
public:
    /// `workers` must outlive it.
    engine_runtime(engine_services services, worker_pool& workers, engine_runtime_options options);

    std::string_view name() const override { return capabilities_.name; }
    /// False under gVisor, which delivers every signal to the agent and ends with all programs if it is refused a thread.
    runtime_traits traits() const override { return {.protects_agent = !is_gvisor(), .has_images = true}; }
    const runtime_capabilities& capabilities() const override { return capabilities_; }
    std::int64_t idle_bytes() const override { return is_gvisor() ? 64 << 20 : 24 << 20; }    // with the engine's process per container
    task<> probe() override;
    /// Errors: errc::image_unavailable if the engine does not have the image; errc::image_not_allowed if its volumes cannot be covered;
    /// errc::runtime_unavailable or errc::timed_out, within seconds, if the engine is unreachable.
    task<result<std::unique_ptr<sandbox>>> create(sandbox_spec spec) override;
    task<result<void>> start(sandbox& created) override { return start_container(static_cast<engine_sandbox*>(&created)); }
    /// Returns a sandbox that ran out of memory as one that has just ended. Errors: also errc::runtime_unavailable or errc::timed_out if
    /// the engine is unreachable: the sandbox's state is then unknown.
    task<result<std::unique_ptr<sandbox>>> recover(sandbox_id id, std::string runtime_state) override;
    task<result<std::vector<sandbox_id>>> left_overs() override;
    task<result<void>> remove_left_over(sandbox_id id, std::string runtime_state) override;

private:
    bool is_gvisor() const { return settings_.counts_threads; }
    runtime_capabilities known_without_trying() const;
    std::unique_ptr<engine_sandbox> object_of(sandbox_id id, std::string work_directory, std::string image);
    task<result<void>> make_container(engine_sandbox* created, sandbox_spec spec);
    task<result<void>> create_container(engine_sandbox* created, docker::container_spec planned);
    // engine_supplies.cpp
    using supplies = std::vector<std::shared_ptr<const docker::package_volumes::use>>;    // one for each tree of a spec
    task<result<supplies>> bring_supplies(sandbox_spec spec, docker::image_info image);
    static void mount_supplies(sandbox_spec& spec, const supplies& brought);
    task<result<void>> confirm_supplies(const supplies* brought);
    result<docker::container_spec> plan_helper(const sandbox_spec& spec, const docker::image_info& image) const;
    task<result<void>> start_container(engine_sandbox* created);
    task<result<void>> wait_for_sweep(sandbox_id id);
    task<result<void>> remove_containers(sandbox_id id);

    task<result<void>> try_engine(runtime_capabilities* found);
    task<result<void>> try_sandbox();
    task<result<void>> try_running(engine_sandbox* created);
    task<bool> has_an_image();
    std::string explain(const error& failure) const;

    engine_services services_;
    engine_runtime_options options_;
    docker::container_settings settings_;
    bool bounds_disks_;    // limits the containers' disk reads
    docker::containers engine_;
    docker::images images_;
    docker::agent_volume volume_;
    docker::create_warnings warnings_;
    unsigned limits_ = docker::container_limit::all;    // that the engine must apply
    runtime_capabilities capabilities_;
};

}    // namespace caisson
