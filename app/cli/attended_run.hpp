#pragma once

#include "app/cli/foreground_run.hpp"

#include <string>

namespace caisson::cli {

/// What `run` and `skill run` have in common: asks for an execution with `body` (JSON of POST /v1/executions), stays with it to its
/// end unless it is detached, and says what it came to. Gives the exit status for this process. `session` outlives it.
task<int> attended_run(client_session* session, attended_options options, std::string body);

}    // namespace caisson::cli
