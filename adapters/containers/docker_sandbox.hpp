#pragma once

#include "adapters/containers/container_plan.hpp"
#include "adapters/engine/containers.hpp"
#include "adapters/engine/images.hpp"
#include "adapters/host/agent_listener.hpp"
#include "adapters/host/isolated_sandbox.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// A sandbox as a container of an engine on the server's host. The agent, its first process, connects to a socket in the run directory.
/// The programs are in the server's cgroups; the agent stays in the engine's.
class docker_sandbox : public isolated_sandbox {
public:
    /// `on`, `uids` and `settings` must outlive it.
    docker_sandbox(local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory, live_set live,
        uid_allocator& uids, docker::engine& on, const docker::container_settings& settings);

    /// Call after the previous stream has ended: the agent has one connection at a time and reconnects after its end.
    /// Errors: also errc::timed_out, with the cause if the container is paused.
    task<result<std::unique_ptr<protocol::byte_stream>>> connect() override;
    std::optional<disk_usage> disk() const override;
    task<std::string> ended() override;
    task<result<void>> pause() override;
    task<result<void>> resume() override;
    task<result<void>> stop() override;
    result<void> open_listener() override;
    task<std::string> why_gone() override;

protected:
    task<result<void>> remove_outside() override;

private:
    std::string container() const { return record().made_of ? record().made_of->id : std::string(); }
    bool was_asked_for() const;
    void report_strangers(std::size_t before);
    task<error> explain_silence(error what);
    task<result<std::vector<std::string>>> find_containers(steady_time deadline);

    docker::engine& engine_;
    docker::containers containers_;
    const docker::container_settings& settings_;
    std::optional<agent_listener> door_;
    bool paused_here_ = false;    // by this server through the engine, without a freezer cgroup
    bool pause_was_told_ = false;
};

}    // namespace caisson
