#pragma once

#include "adapters/host/cgroup/cgroup_tree.hpp"
#include "core/async/offload.hpp"
#include "core/base/config.hpp"
#include "core/exec/services.hpp"

#include <vector>

namespace caisson {

/// What the sweeps of a server look for beside its sandboxes: uid locks that nobody answers for, marks of instances that are gone, files
/// that were being written when a server was killed, and what killed probes of `caisson doctor` left. All arguments outlive
/// what is returned.
std::vector<sweep_chore> sweep_chores(
    const server_config& config, const cgroup_tree& groups, io_executor executor, timers& time, worker_pool& work);

/// The id in a data directory's instance.json; empty if there is none.
std::string instance_in(const std::string& data_dir);

}    // namespace caisson
