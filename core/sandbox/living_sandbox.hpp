#pragma once

#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/runtime/ports.hpp"
#include "core/sandbox/exec_numbers.hpp"

#include <functional>
#include <memory>
#include <string>

namespace caisson {

/// A sandbox that this server has, with the one link to its agent, for however many programs run in it. Destroying the object leaves the
/// sandbox as it is, for the next server; box().destroy() ends it. I/O thread only.
class living_sandbox {
public:
    /// `time` and `log` outlive it.
    living_sandbox(io_executor executor, timers& time, logger& log, protocol::link_options options, std::unique_ptr<sandbox> box);

    sandbox& box() const { return *box_; }
    /// Null before open() or resume(), and after close().
    const std::shared_ptr<protocol::agent_link>& link() const { return link_; }
    /// Numbers at the agent, for what runs beside the programs.
    exec_numbers& numbers() { return numbers_; }

    /// Makes the link, connects it and hears the agent's HELLO. Errors: as agent_link::open().
    task<result<void>> open(steady_time deadline);
    /// Makes the link to an agent that an earlier server started; carry() connects it.
    void resume();

    /// Why no program of it will be heard any more, and whether its agent is known to run no more.
    using loss_handler = std::function<void(const std::string& why, bool agent_died)>;
    /// Keeps the link going from now on. `holder` is for logs: a text; `lost` is called at most twice: by the link and by watch().
    void carry(log_field holder, loss_handler lost);
    /// After carry(): waits for the sandbox's own end too. Repeats do nothing.
    void watch();

    /// Nothing more is wanted of its programs: a link that breaks is not connected again.
    void give_up();

    /// Ends the link and the waits. The sandbox stays. Call it before the sinks of the link are destroyed.
    task<> close();
    /// Ends the link alone. The waits go on.
    void close_link();

private:
    struct carrying;

    io_executor executor_;
    timers& time_;
    logger& log_;
    protocol::link_options options_;
    std::shared_ptr<sandbox> box_;    // a connection that is being made, or a wait for its end, may outlive this object
    std::shared_ptr<protocol::agent_link> link_;
    exec_numbers numbers_;
    std::shared_ptr<carrying> carrying_;
    std::unique_ptr<task_group> carriers_;
    bool is_watched_ = false;
};

}    // namespace caisson
