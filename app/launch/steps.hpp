#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

// Each function does one step of the launch and ends the process if it fails.

/// Makes the kernel kill this process and its children before the rest of the host when memory runs out. Ignores failure: the kernel
/// refuses only where an even higher value is set.
void give_way_without_memory();

/// Moves this process into the cgroups of the given cgroup.procs descriptors.
void join_groups(const options& wanted);

/// Unshares the mount namespace; an ordinary user first unshares a user namespace that maps its own uid. Does nothing without a private
/// tmpfs.
void enter_namespaces(const options& wanted);

/// Mounts over /tmp a tmpfs with bounded size and inodes that holds work, tmp and shm, owned by the uid to become.
void mount_private_tmpfs(const options& wanted);

void set_limits(const options& wanted);

/// Gives up root and all supplementary groups permanently.
void become_user(const options& wanted);

}    // namespace caisson::launch
