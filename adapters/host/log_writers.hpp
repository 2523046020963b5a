#pragma once

#include "adapters/host/process.hpp"
#include "core/base/ids.hpp"

#include <string>
#include <vector>

namespace caisson {

/// A process whose standard output and standard error are the log of a sandbox's run directory: its launcher, its bwrap or its
/// agent, whether a record names it or not.
struct log_writer {
    sandbox_id sandbox;
    process_identity process;
};

/// Those below one of `run_dirs`, also of directories that are gone. Of another user's processes nothing is seen unless by root.
/// Looks at every process: call it on a worker.
std::vector<log_writer> log_writers(const std::vector<std::string>& run_dirs);

/// SIGKILL to those of one sandbox and to all below them. Returns how many it met: call it until there are none.
std::size_t kill_log_writers(const std::vector<std::string>& run_dirs, const sandbox_id& sandbox);

}    // namespace caisson
