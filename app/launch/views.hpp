#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

/// Inodes that make_views() uses in the private tmpfs.
unsigned view_inodes(const options& wanted);

/// Gives the sandbox its own inodes for what it sees of the host, so that locks and watches are not shared:
///   /tmp/view/NAME   each view: a read-only overlay of /NAME that shares its pages
///   /tmp/proc        a new proc, for /proc/sys; not for a whole sandbox, which mounts its own
///   /tmp/dev         as root: six new device nodes, the usual links, terminals, and /tmp/shm as shm; read-only
///   a time namespace with the host's clocks, entered by children
/// What the kernel refuses (an ordinary user: proc, nodes) stays the host's, as device numbers tell. No-op without a tmpfs and views.
void make_views(const options& wanted);

}    // namespace caisson::launch
