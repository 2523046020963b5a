#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

/// Mounts the still empty root of a whole sandbox at /tmp/root, with space for /dev.
void mount_root(const options& wanted);
/// Completes that root, without /proc, from make_views(), mount_trees() and the private tmpfs. Enters it and drops all other mounts.
///   /usr …             the views, and the links next to them
///   /dev               /tmp/dev
///   work, /tmp         the private tmpfs; the first trees at their places in work
///   /etc …             the trees after those, by name
///   /.caisson/agent    the agent's file, if any; read-only like the root itself
void enter_root(const options& wanted);

/// An empty directory in the root.
inline constexpr const char* empty_directory = "/.caisson/empty";
inline constexpr const char* agent_program = "/.caisson/agent";

}    // namespace caisson::launch
