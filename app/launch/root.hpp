#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

/// Mounts the root of a whole sandbox at /tmp/root, with room in it for /dev; it has nothing to show yet.
void mount_root(const options& wanted);
/// Of what make_views() and mount_trees() made below /tmp, and of the private tmpfs, completes the root of a whole sandbox and goes into
/// it; of the host nothing else is left in this mount namespace. It lacks what is the first process's own: /proc.
///   /usr …             the views, with the links beside them
///   /dev               as it is below /tmp
///   work, /tmp         the private tmpfs; the first trees at their places in work
///   /etc …             the next trees, by their names
///   /.caisson/agent    read-only, as the root itself, if it is to be executed
void enter_root(const options& wanted);

/// An empty directory in it.
inline constexpr const char* empty_directory = "/.caisson/empty";
inline constexpr const char* agent_program = "/.caisson/agent";

}    // namespace caisson::launch
