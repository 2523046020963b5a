#pragma once

#include <string>

namespace caisson {

/// Removes a directory that programs may have filled. Follows no links and does not enter mount points of other file systems. Stack and
/// descriptor use do not grow with depth. No program may still write in it. Returns 0, also if it does not exist, or errno.
int remove_tree(const std::string& path);

/// Unmounts all mounts below `path` that this process sees, the last first, even busy ones.
void unmount_below(const std::string& path) noexcept;

}    // namespace caisson
