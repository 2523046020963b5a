#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

/// Directories that were opened in the mount namespace of the sandbox, before anything covered them.
struct opened_trees {
    int fds[options::most];
};

/// Inodes that mount_trees() takes from the private tmpfs, with those of the places where they are shown in the end.
unsigned tree_inodes(const options& wanted);

/// Opens each tree, without following a link in its last place. Ends the process if one cannot be opened.
opened_trees open_trees(const options& wanted);

/// Shows the first as /tmp/tree/0 and so on: a read-only overlay whose layers have relative names, so that no mount says where on
/// the host they are. Where the host has no overlay it is a read-only bind, whose root the sandbox can read in mountinfo.
void mount_trees(const options& wanted, const opened_trees& opened);

}    // namespace caisson::launch
