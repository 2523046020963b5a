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
    std::string instance;                    // of the server: its containers are known by it
    std::string engine_runtime = "runc";     // that the engine is to use: "runc", "runsc"
    std::string name_prefix = "caisson-";    // of containers
    std::string user = "1000:1000";          // in containers, by numbers
    std::string agent_path;                  // caisson-agent on this host
    /// Of a named volume, for an engine that does not see the agent's file ("caisson-agent-" and the begin of its digest); it is filled
    /// when it is needed. Empty: the engine sees this host's files.
    std::string agent_volume = {};
    std::string default_image = {};          // of a spec that names none
    std::string trial_image = {};            // that probe() uses; else one without any file, which it makes and removes
    std::vector<std::string> images = {};    // that the config allows; a probe says if the engine has none of them
    disk_read_limits disk_reads = {};        // of each container
    bool sees_disks = false;                 // the engine's host is this one, so that its disks are known
};

/// Sandboxes that are containers of a Docker Engine anywhere, under an OCI runtime of its: gVisor's, or any where the server cannot share
/// sockets and groups with containers. The link goes over their attached stdio.
class engine_runtime : public runtime {
public:
    /// `workers` outlives it.
    engine_runtime(engine_services services, worker_pool& workers, engine_runtime_options options);

    std::string_view name() const override { return capabilities_.name; }
    /// gVisor delivers every signal to it, and ends with all its programs where it is refused a thread.
    bool protects_agent() const override { return !is_gvisor(); }
    bool has_images() const override { return true; }
    const runtime_capabilities& capabilities() const override { return capabilities_; }
    std::int64_t idle_bytes() const override { return is_gvisor() ? 64 << 20 : 24 << 20; }    // with the engine's process for it
    task<> probe() override;
    /// Errors: errc::image_unavailable if the engine does not have the image; errc::image_not_allowed for one that wants what cannot be
    /// kept from it; errc::runtime_unavailable or errc::timed_out, after seconds, if the engine is away.
    task<result<std::unique_ptr<sandbox>>> create(sandbox_spec spec) override;
    task<result<void>> start(sandbox& created) override { return start_container(static_cast<engine_sandbox*>(&created)); }
    /// One that ended for want of memory is handed out as one that has just ended. Errors: also errc::runtime_unavailable or
    /// errc::timed_out if the engine is away: nothing is known then.
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
    using supplies = std::vector<std::shared_ptr<const docker::package_volumes::use>>;    // of a spec's trees
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
    bool bounds_disks_;    // what its containers read of them
    docker::containers engine_;
    docker::images images_;
    docker::agent_volume volume_;
    docker::create_warnings warnings_;
    unsigned limits_ = docker::container_limit::all;    // that the engine is known or said to apply
    runtime_capabilities capabilities_;
};

}    // namespace caisson
