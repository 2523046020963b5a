#pragma once

#include "adapters/mock/mock_script.hpp"
#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/protocol/agent_session.hpp"
#include "core/protocol/byte_stream.hpp"

#include <map>
#include <memory>
#include <string>

namespace caisson {

/// An agent without a process: the real session of the link over a socket pair, with scripts as programs.
class mock_agent {
public:
    /// `time` and `log` outlive the agent.
    mock_agent(io_executor executor, timers& time, logger& log);
    ~mock_agent();

    /// Returns the peer end of a new connection. Errors: errc::runtime_unavailable once dead().
    result<std::unique_ptr<protocol::byte_stream>> connect();

    /// While paused, programs make no progress.
    void set_paused(bool paused);
    /// Sends SIGKILL to every program.
    void kill_programs();
    std::size_t running_programs() const;
    std::int64_t oom_kills() const;
    bool disk_full() const;

    /// Ends everything at once, as if the agent's process were killed. Keeps the first cause.
    void die(std::string cause);
    bool dead() const;
    /// Waits for the agent's death and returns the cause.
    task<std::string> ended() const;
    /// Calls die() and waits until none of its coroutines runs.
    task<> stop();

private:
    class state;
    std::shared_ptr<state> state_;    // shared with its coroutines, whose frames may outlive this object
    io_executor executor_;
    task_group background_;
};

}    // namespace caisson
