#pragma once

#include "adapters/host/local_record.hpp"
#include "adapters/host/process.hpp"
#include "adapters/host/run_directory.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"

#include <optional>
#include <string>

namespace caisson {

/// The processes of a sandbox that its server knows: the agent, and the monitor, which is the process that the server started (bwrap, the
/// launcher, or the agent itself). The sandbox ends with its agent; the monitor knows the agent's exit status.
class sandbox_processes {
public:
    /// `time` outlives it and its tasks.
    explicit sandbox_processes(timers& time) : time_(time) { }

    void set_agent(process_handle agent) { agent_ = std::move(agent); }
    void set_monitor(process_handle monitor) { monitor_ = std::move(monitor); }
    /// Opens the recorded processes that still run.
    void find(const local_record& record);
    const std::optional<process_handle>& agent() const { return agent_; }
    bool is_monitor_agent() const { return monitor_ && agent_ && monitor_->identity() == agent_->identity(); }

    /// Returns the reason once the agent is gone, with the first line of the log in `directory`. The task owns its descriptors: this
    /// object may be destroyed meanwhile.
    task<std::string> ended(std::optional<run_directory> directory) const;

    /// Stops a living agent that is a subreaper, and kills all its descendants. Call only with an agent.
    void kill_below_agent() const;
    /// Call only with an agent, and before kill_monitor(): bwrap, its parent, then reaps it and exits, so that init need not reap it.
    void kill_agent() const;
    /// Kills a living monitor; without an agent also its children, among which the agent may be.
    void kill_monitor() const;
    /// Returns when both have exited. Errors: errc::timed_out.
    task<result<void>> wait_gone(steady_time deadline) const;

private:
    timers& time_;
    std::optional<process_handle> agent_;
    std::optional<process_handle> monitor_;
};

}    // namespace caisson
