#pragma once

#include "adapters/host/cgroup/cgroup_tree.hpp"
#include "core/async/offload.hpp"
#include "core/base/config.hpp"
#include "core/exec/services.hpp"

#include <vector>

namespace caisson {

/// Chores of the server's sweeps beside its sandboxes: uid locks without an owner, marks of dead instances, temporary files of killed
/// servers, and left-overs of killed `caisson doctor` probes. All arguments outlive the returned chores.
std::vector<sweep_chore> sweep_chores(
    const server_config& config, const cgroup_tree& groups, io_executor executor, timers& time, worker_pool& work);

/// The id in a data directory's instance.json; empty if it cannot be read.
std::string instance_in(const std::string& data_dir);

}    // namespace caisson
