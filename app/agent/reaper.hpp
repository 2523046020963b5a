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

/// Reaps one ended child, if there is one: a started program, or an orphan adopted by this process.
std::optional<dead_child> reap_one();

/// Sends SIGKILL to all descendants: as PID 1 to the whole namespace, else to the children. Their orphans become children in turn, so
/// repeat this until no children are left.
void kill_descendants();

/// True while there are children, dead or alive.
bool has_children();
/// Like has_children(), without counting `pid`; -1: counts all.
bool has_children_beside(pid_t pid);

}    // namespace caisson::agent
