#pragma once

#include "app/cli/foreground_run.hpp"

#include <string>

namespace caisson::cli {

/// The common part of `run` and `skill run`: submits `body` (JSON of POST /v1/executions), follows the execution to its end unless
/// detached, and prints the result. Returns this process's exit status. `session` outlives it.
task<int> attended_run(client_session* session, attended_options options, std::string body);

}    // namespace caisson::cli
