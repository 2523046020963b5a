#pragma once

#include "adapters/host/cgroup/cgroup_tree.hpp"

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace caisson::bench {

/// Control groups as a run has them at the least: one for each, with limits of memory, processes and CPU time, in every hierarchy that the
/// server uses. From any thread.
class run_groups {
public:
    /// Throws std::runtime_error where none can be made.
    run_groups();
    ~run_groups();
    run_groups(const run_groups&) = delete;
    run_groups& operator=(const run_groups&) = delete;

    control_group make();
    /// Starts argv[0] (a path) in the group, with an empty environment. Throws std::runtime_error.
    static pid_t start(control_group& group, const std::vector<std::string>& argv);
    /// Of a group whose processes have ended. Throws std::runtime_error if it stays for a second.
    static void remove(control_group& group);

private:
    cgroup_tree tree_;
    std::atomic<int> made_ = 0;
};

}    // namespace caisson::bench
