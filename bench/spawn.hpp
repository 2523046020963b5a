#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace caisson::bench {

/// Starts argv[0] (a path) by posix_spawn with an empty environment. It shares standard input, output and error, except that
/// `output`, if not -1, becomes its standard output. Throws std::system_error.
pid_t start(const std::vector<std::string>& argv, int output = -1);

/// Waits for the end. Throws std::runtime_error unless it exited with 0.
void finish(pid_t child);

}    // namespace caisson::bench
