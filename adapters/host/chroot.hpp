#pragma once

#include <string>

namespace caisson {

/// What tells a chroot from a system of its own.
struct root_facts {
    std::string mountinfo;           // text of /proc/self/mountinfo (proc_pid_mountinfo(5))
    bool shares_mounts_with_init;    // the process is in the mount namespace of process 1
    bool has_root_of_init;           // its root directory is that of process 1; true if that cannot be read
};

/// The facts of this process.
root_facts real_root_facts();

/// Whether the process is in a chroot(2): its root directory is no mount, or another one than the root of its mount namespace. The kernel
/// makes no user namespaces there (EPERM in user_namespaces(7)) and no private copy of its mounts (EINVAL in mount(2)).
bool is_chroot(const root_facts& facts);

}    // namespace caisson
