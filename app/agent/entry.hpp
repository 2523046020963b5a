#pragma once

namespace caisson::agent {

/// The agent, with its command line (options.hpp): closes all descriptors but those that it was given for its link. Returns what its
/// process has to exit with.
int run(int argc, char** argv);

}    // namespace caisson::agent
