#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

/// Inodes that make_views() takes from the private tmpfs.
unsigned view_inodes(const options& wanted);

/// Gives the sandbox inodes of its own for what it sees of the host, so that locks and watches there meet nobody else's:
///   /tmp/view/NAME   each view: a read-only overlay of /NAME, whose pages stay shared
///   /tmp/proc        a proc of its own, for /proc/sys; not for a whole sandbox, which has its own
///   /tmp/dev         as root: six device nodes of its own, the usual links, terminals, and /tmp/shm as shm; read-only
///   a time namespace with the host's clocks, entered by children
/// What the host refuses (an ordinary user gets neither a proc nor device nodes) is the host's own instead; whoever made the
/// sandbox can tell by the device numbers. Does nothing without a private tmpfs and views.
void make_views(const options& wanted);

}    // namespace caisson::launch
