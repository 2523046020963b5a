#pragma once

#include "core/base/unique_fd.hpp"

namespace caisson::agent {

/// Landlock's rules for a sandbox: what is visible may be read and executed, and only `work`, /tmp, /dev/shm and the devices may
/// be written, /proc not. A second layer: it repeats what mounts and ownership say already.
///
/// confine() puts this process and all that it starts under the rules, and from version 6 of Landlock keeps them from sending
/// signals and connecting abstract sockets to anything outside. Each program is put under the same file rules once more
/// (enter()), which keeps it from the memory and descriptors of this process.
class landlock {
public:
    /// True also where the kernel has no Landlock. False with errno if it has and refuses.
    bool confine(const char* work);
    /// For a child, between clone and execve; a system call at most. False with errno.
    bool enter() const;

private:
    unique_fd rules_;    // of programs; none: nothing to enter
};

}    // namespace caisson::agent
