#pragma once

#include "adapters/containers/container_plan.hpp"
#include "adapters/containers/container_watch.hpp"
#include "adapters/containers/engine_record.hpp"
#include "adapters/containers/package_volumes.hpp"
#include "core/runtime/ports.hpp"

#include <memory>
#include <set>

namespace caisson {

/// What sandboxes on an engine work with; all of it outlives them and their runtime.
struct engine_services {
    io_executor executor;
    timers& time;
    logger& log;
    docker::engine& on;
    // The same for all runtimes of a server: ids of sandboxes that have an object, and of those that a sweep removes now.
    std::shared_ptr<std::multiset<sandbox_id>> live = std::make_shared<std::multiset<sandbox_id>>();
    std::shared_ptr<std::set<sandbox_id>> swept = std::make_shared<std::set<sandbox_id>>();
    docker::package_volumes* packages = nullptr;    // for an engine that does not see this host's files; null: no packages there
};

/// A sandbox that is a container of an engine anywhere. Its agent, the container's first process, is spoken to over its stdio, which
/// the engine carries; limits are the container's. An execution has the whole of it.
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
    /// Errors: also errc::timed_out while the engine is away or the container is paused.
    task<result<std::unique_ptr<protocol::byte_stream>>> connect() override;
    result<std::unique_ptr<execution_group>> open_group(group_limits limits) override;
    result<std::unique_ptr<execution_group>> open_compiler_group(group_limits limits) override { return open_group(limits); }
    std::optional<disk_usage> disk() const override { return std::nullopt; }
    task<std::string> ended() override;
    /// Freezes the agent too: nobody can connect to it meanwhile.
    task<result<void>> pause() override;
    task<result<void>> resume() override;
    /// Errors of both: errc::runtime_unavailable or errc::timed_out, after seconds, if the engine is away.
    task<result<void>> stop() override;
    task<result<void>> destroy() override;

    // For the runtime that makes it.

    const engine_record& record() const { return record_; }
    /// There is a trial image for this sandbox, which goes with it.
    void own_image() { owns_image_ = true; }
    /// `spec` names its image by its id. Returns what the engine warns of. Errors: those of docker::containers; errc::conflict is a
    /// container of this name.
    task<result<std::vector<std::string>>> make(docker::container_spec spec);
    /// Errors: errc::runtime_unavailable also if the engine made it of another image.
    task<result<void>> run();
    /// Asks the engine for it, by its id or its labels. One that ended for want of memory is found too: its group says so, and ended() why.
    /// Errors: errc::gone, with why, if it does not run; errc::runtime_unavailable or errc::timed_out if the engine is away.
    task<result<void>> find();

private:
    /// Its id, or its name if that is not known.
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
