#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

// Each does its part of the work and ends the process if it fails.

/// Lets the kernel end this process and all that it starts before the rest of the host, where that has no memory left. A failure is
/// passed over: the kernel refuses this only where an even higher value is in force.
void give_way_without_memory();

/// Moves this process into the cgroups whose cgroup.procs it was given.
void join_groups(const options& wanted);

/// Unshares the mount namespace, an ordinary user's a user namespace of its own uid first. Does nothing without a private tmpfs.
void enter_namespaces(const options& wanted);

/// Covers /tmp with a tmpfs of bounded size and inodes that holds work, tmp and shm, which belong to the uid to come.
void mount_private_tmpfs(const options& wanted);

void set_limits(const options& wanted);

/// Gives up root for good, with all groups.
void become_user(const options& wanted);

}    // namespace caisson::launch
