#pragma once

#include "adapters/containers/container_plan.hpp"
#include "adapters/containers/container_watch.hpp"
#include "adapters/containers/engine_record.hpp"
#include "adapters/containers/package_volumes.hpp"
#include "core/runtime/ports.hpp"

#include <memory>
#include <set>

namespace caisson {

/// The dependencies of sandboxes on an engine; all must outlive the sandboxes and their runtime.
struct engine_services {
    io_executor executor;
    timers& time;
    logger& log;
    docker::engine& on;
    // Shared by all runtimes of a server: the ids of sandboxes with an object, and of those that a sweep is removing.
    std::shared_ptr<std::multiset<sandbox_id>> live = std::make_shared<std::multiset<sandbox_id>>();
    std::shared_ptr<std::set<sandbox_id>> swept = std::make_shared<std::set<sandbox_id>>();
    docker::package_volumes* packages = nullptr;    // if the engine does not see this host's files; null: no packages there
};

/// A sandbox as a container of an engine on any host. The link to the agent, the container's first process, is its stdio, which the
/// engine forwards. The limits are the container's. An execution uses the whole container.
class engine_sandbox : public sandbox {
public:
    engine_sandbox(engine_services services, sandbox_id id, engine_record record, docker::container_settings settings);
    ~engine_sandbox() override;

    const sandbox_id& id() const override { return id_; }
    std::string runtime_state() const override { return record_.to_json(); }
    std::optional<steady_time> made_at() const override { return record_.made_at(); }
    result<void> claim(const sandbox_limits& limits, execution_group& made) override;
    std::string work_directory() const override { return record_.work_directory; }
    std::string image_digest() const override { return record_.image_digest; }
    /// Errors: also errc::timed_out while the engine is unreachable or the container is paused.
    task<result<std::unique_ptr<protocol::byte_stream>>> connect() override;
    result<std::unique_ptr<execution_group>> open_group(group_name name, group_limits limits) override;
    std::optional<disk_usage> disk() const override { return std::nullopt; }
    task<std::string> ended() override;
    /// Also freezes the agent: connect() fails until resume().
    task<result<void>> pause() override;
    task<result<void>> resume() override;
    /// Errors of this and the next: errc::runtime_unavailable or errc::timed_out, within seconds, if the engine is unreachable.
    task<result<void>> stop() override;
    task<result<void>> destroy() override;

    // For the runtime only.

    const engine_record& record() const { return record_; }
    /// Makes destroy() remove the sandbox's trial image.
    void own_image() { owns_image_ = true; }
    /// Creates the container; `spec.image` is an id. Returns the engine's warnings. Errors: those of docker::containers; errc::conflict if
    /// the name is taken.
    task<result<std::vector<std::string>>> make(docker::container_spec spec);
    /// Starts the container. Errors: errc::runtime_unavailable also if the engine used another image.
    task<result<void>> run();
    /// Finds the container by id or labels. Succeeds also for one that ran out of memory: usage and ended() report it. Errors:
    /// errc::gone, with the reason, if it is not running; errc::runtime_unavailable or errc::timed_out if the engine is unreachable.
    task<result<void>> find();

private:
    /// The container's id, or its name if the id is unknown.
    std::string handle() const;
    docker::watch_order watch_order() const;
    void adopt(const docker::container_info& found);
    task<result<docker::container_info>> inspect_or_search(steady_time deadline);
    task<error> why_unreachable(error what);
    task<bool> end_here();
    task<result<void>> end_by_engine();

    engine_services services_;
    sandbox_id id_;
    engine_record record_;
    docker::container_settings settings_;
    docker::containers engine_;
    std::shared_ptr<docker::watched_container> watched_;
    bool owns_image_ = false;
    bool started_ = false;
};

}    // namespace caisson
