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

/// What a sandbox, its groups and who waits for its end share. I/O thread.
struct watched_container {
    explicit watched_container(io_executor executor) : changed(executor) { }

    std::string id;    // of the engine; empty until it is made
    container_status status;
    control_group group;                            // the engine's, where it is seen from here
    std::optional<process_handle> first_process;    // of that group: the agent, or gVisor's kernel
    bool counts_threads = false;                    // the group has gVisor's own threads too, which are no processes of programs
    std::int64_t cpu_before_us = 0;                 // what it had used when its agent was there
    bool thaw_wanted = false;                       // somebody has to end its programs, and it is paused
    notifier changed;
};

struct watch_order {
    engine& on;    // as all references it outlives the watch
    timers& time;
    logger& log;
    std::vector<std::string> labels;    // of this container alone
    std::shared_ptr<watched_container> what;
};

/// Returns when the container has ended, with the cause. Until then it keeps the status fresh, also of usage that only the engine
/// can tell, and thaws the container when that is wanted. While the engine is away all that is known is whether its group is empty, where
/// that is seen; else it goes on waiting.
task<std::string> watch_container(watch_order order);

/// For one that was found ended: looks for a want of memory at its end among the engine's events of before, and waits for it, 1 s and one
/// look at most. Returns at once if nothing is to be explained.
task<> hear_why_it_ended(watch_order order);

/// Asks the engine now and notes what it says. An engine that does not answer within `deadline` says nothing; of one that is away, whose
/// group is empty has ended.
task<> look_at(engine* on, std::shared_ptr<watched_container> what, steady_time deadline);

}    // namespace caisson::docker
