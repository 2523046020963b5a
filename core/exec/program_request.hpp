#pragma once

#include "core/exec/execution.hpp"
#include "core/exec/services.hpp"

namespace caisson {

/// What the agent of its sandbox is told to start for the attempt's program.
protocol::spawn_request spawn_request_for(const execution& exec, const execution_services& services);

}    // namespace caisson
