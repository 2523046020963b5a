#pragma once

#include "core/base/unique_fd.hpp"

namespace caisson::agent {

/// The Landlock rules of a sandbox: all visible files may be read and executed; only `work`, /tmp, /dev/shm and the devices may be
/// written, not /proc. A second layer of defence behind mounts and file ownership.
///
/// confine() restricts this process and its descendants. From Landlock version 6 on they also cannot send signals or connect abstract
/// sockets to the outside. enter() applies the file rules again to each program, which keeps it from this process's memory and
/// descriptors.
class landlock {
public:
    /// True also if the kernel lacks Landlock. False with errno if it has Landlock and refuses.
    bool confine(const char* work);
    /// Call in a child between clone and execve; makes at most one system call. False with errno.
    bool enter() const;

private:
    unique_fd rules_;    // for programs; none: nothing to enter
};

}    // namespace caisson::agent
