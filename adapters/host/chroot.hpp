#pragma once

#include <string>

namespace caisson {

/// Distinguishes a chroot from a system of its own.
struct root_facts {
    std::string mountinfo;           // content of /proc/self/mountinfo (proc_pid_mountinfo(5))
    bool shares_mounts_with_init;    // the process is in the mount namespace of process 1
    bool has_root_of_init;           // the process has the root directory of process 1; true if that cannot be read
};

/// Reads the facts of this process.
root_facts real_root_facts();

/// True if the process is in a chroot(2): its root directory is no mount point, or is not the root of its mount namespace. There the kernel
/// refuses user namespaces (EPERM, user_namespaces(7)) and a private copy of the mounts (EINVAL, mount(2)).
bool is_chroot(const root_facts& facts);

}    // namespace caisson
