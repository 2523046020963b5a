#pragma once

#include <string>

namespace caisson {

/// Removes a directory that programs may have filled: follows no link, leaves no mount point of another file system, and
/// needs neither stack nor descriptors for depth. No program may write in it any more. Returns 0, also if it does not
/// exist, or errno.
int remove_tree(const std::string& path);

/// Unmounts what this process sees mounted below `path`, the last first, also where it is in use.
void unmount_below(const std::string& path) noexcept;

}    // namespace caisson
