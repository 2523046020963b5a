#pragma once

#include "core/base/log.hpp"
#include "core/runtime/ports.hpp"

namespace caisson {

/// Says HELLO to the agent of a probe's running sandbox, which outlives the call, as `time` and `log` do. Errors: those of
/// agent_link::open(); it takes ten seconds at most.
task<result<void>> greet_agent(io_executor executor, timers& time, logger& log, sandbox* running);

}    // namespace caisson
