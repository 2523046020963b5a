#pragma once

#include "adapters/host/process.hpp"
#include "core/base/ids.hpp"

#include <string>
#include <vector>

namespace caisson {

/// A process whose standard output and standard error are the log in a sandbox's run directory: launcher, bwrap or agent, recorded or not.
struct log_writer {
    sandbox_id sandbox;
    process_identity process;
};

/// Finds the log writers below `run_dirs`, also of deleted directories. Other users' processes are visible to root only. Scans every
/// process: call on a worker.
std::vector<log_writer> log_writers(const std::vector<std::string>& run_dirs);

/// Sends SIGKILL to the log writers of one sandbox and their descendants. Returns the number of writers found: repeat until 0.
std::size_t kill_log_writers(const std::vector<std::string>& run_dirs, const sandbox_id& sandbox);

}    // namespace caisson
