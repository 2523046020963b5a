#pragma once

#include <optional>
#include <sys/resource.h>
#include <sys/types.h>

namespace caisson::agent {

struct dead_child {
    pid_t pid;
    int wait_status;
    rusage usage;
};

/// Reaps one child that has ended, if there is one: a started program, or an orphan that was re-parented here.
std::optional<dead_child> reap_one();

/// SIGKILL to everything below this process: as PID 1 to the whole namespace, else to its children. What those leave behind
/// becomes a child in turn, so repeat it until reap_one() has no more to come.
void kill_descendants();

/// True while there are children, dead or alive.
bool has_children();
/// The same of others than `pid`; -1: of all.
bool has_children_beside(pid_t pid);

}    // namespace caisson::agent
