#pragma once

namespace caisson::agent {

/// Runs the agent with its command line (options.hpp). Closes all descriptors except those of its link. Returns the exit status.
int run(int argc, char** argv);

}    // namespace caisson::agent
