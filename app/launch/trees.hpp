#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

/// Directories opened in the sandbox's mount namespace before any mount covers them.
struct opened_trees {
    int fds[options::most];
};

/// Inodes that mount_trees() uses in the private tmpfs, including those of the final mount points.
unsigned tree_inodes(const options& wanted);

/// Opens each tree; its last component must not be a link. Ends the process if one cannot be opened.
opened_trees open_trees(const options& wanted);

/// Mounts the trees as /tmp/tree/0, /tmp/tree/1, …: read-only overlays whose layers have relative names, so that no mount reveals host
/// paths. Without overlayfs they are read-only binds, whose host path the sandbox can read in mountinfo.
void mount_trees(const options& wanted, const opened_trees& opened);

}    // namespace caisson::launch
