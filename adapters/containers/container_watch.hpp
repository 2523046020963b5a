#pragma once

#include "adapters/engine/container_status.hpp"
#include "adapters/engine/containers.hpp"
#include "adapters/host/cgroup/control_group.hpp"
#include "adapters/host/process.hpp"
#include "core/async/notifier.hpp"
#include "core/base/log.hpp"

#include <memory>
#include <optional>
#include <string>

namespace caisson::docker {

/// The state shared by a sandbox, its execution groups and the watch for its end. I/O thread only.
struct watched_container {
    explicit watched_container(io_executor executor) : changed(executor) { }

    std::string id;    // the engine's id; empty until created
    container_status status;
    control_group group;                            // the engine's cgroup, if visible here
    std::optional<process_handle> first_process;    // of that cgroup: the agent, or gVisor's kernel
    bool counts_threads = false;                    // the cgroup also counts gVisor's own threads
    std::int64_t cpu_before_us = 0;                 // CPU time used before the first program
    bool thaw_wanted = false;                       // programs must be killed, but the container is paused
    notifier changed;
};

struct watch_order {
    engine& on;    // all references must outlive the watch
    timers& time;
    logger& log;
    std::vector<std::string> labels;    // that only this container has
    std::shared_ptr<watched_container> what;
};

/// Waits for the container's end and returns the cause. Until then it updates the status, including usage that only the engine reports,
/// and thaws the container on request. While the engine is unreachable it detects the end only by an empty cgroup, if visible;
/// otherwise it keeps waiting.
task<std::string> watch_container(watch_order order);

/// For a container that was found ended: searches the engine's past events for memory exhaustion at its end, for at most 1 s and one
/// inspection. Returns at once if the end has a known cause.
task<> hear_why_it_ended(watch_order order);

/// Inspects the container and updates its status. A timeout changes nothing. If the engine is unreachable, an empty cgroup means that
/// the container has ended.
task<> look_at(engine* on, std::shared_ptr<watched_container> what, steady_time deadline);

}    // namespace caisson::docker
