#pragma once

#include "core/base/log.hpp"
#include "core/runtime/ports.hpp"

namespace caisson {

/// Sends HELLO to the agent of a probe's running sandbox. `running`, `time` and `log` outlive the call. Takes at most ten seconds. Errors:
/// those of agent_link::open().
task<result<void>> greet_agent(io_executor executor, timers& time, logger& log, sandbox* running);

}    // namespace caisson
