#pragma once

#include <cerrno>

namespace caisson {

/// A call refused whatever its arguments. `code` is its errno: preferably EPERM, as for a process without privileges, or ENOSYS, as from a
/// kernel built without the call, so that libraries fall back. With 0 the call returns 0 and does nothing. `number` is for calls that
/// libseccomp may not know by name; they have the same number on all architectures.
struct refused_call {
    const char* name;
    int code;
    int number = -1;
};

inline constexpr refused_call refused_calls[] = {
    // Namespaces, mounts and roots. A filter cannot see the flags of clone3; libc falls back to clone.
    {"clone3", ENOSYS},
    {"setns", EPERM},
    {"mount", EPERM},
    {"umount", EPERM},
    {"umount2", EPERM},
    {"pivot_root", EPERM},
    {"chroot", EPERM},
    {"mount_setattr", EPERM, 442},
    {"open_tree", EPERM, 428},
    {"move_mount", EPERM, 429},
    {"fsopen", EPERM, 430},
    {"fsconfig", EPERM, 431},
    {"fsmount", EPERM, 432},
    {"fspick", EPERM, 433},
    {"statmount", ENOSYS, 457},
    {"listmount", ENOSYS, 458},
    {"open_tree_attr", ENOSYS, 467},
    {"listns", ENOSYS, 470},
    // Kernel objects outside of all namespaces: they would connect tenants.
    {"keyctl", ENOSYS},
    {"add_key", ENOSYS},
    {"request_key", ENOSYS},
    {"io_uring_setup", ENOSYS, 425},
    {"io_uring_enter", ENOSYS, 426},
    {"io_uring_register", ENOSYS, 427},
    // Asynchronous requests have one limit for the whole host (fs.aio-max-nr); libraries fall back to reading in threads.
    {"io_setup", ENOSYS},
    {"io_destroy", ENOSYS},
    {"io_submit", ENOSYS},
    {"io_cancel", ENOSYS},
    {"io_getevents", ENOSYS},
    {"io_pgetevents", ENOSYS},
    {"bpf", EPERM},
    {"perf_event_open", EPERM},
    {"userfaultfd", EPERM},
    {"fanotify_init", EPERM},
    {"fanotify_mark", EPERM},
    {"lookup_dcookie", ENOSYS},
    {"memfd_secret", ENOSYS, 447},
    {"cachestat", ENOSYS, 451},
    // A sandbox's files are in memory and end with it, so it must not wait for the host's disks.
    {"sync", 0},
    {"syncfs", 0},
    // Files by handle instead of path. EOPNOTSUPP is the answer of a file system without handles.
    {"name_to_handle_at", EOPNOTSUPP},
    {"open_by_handle_at", EPERM},
    // Other processes' memory and descriptors.
    {"ptrace", EPERM},
    {"process_vm_readv", EPERM},
    {"process_vm_writev", EPERM},
    {"process_madvise", EPERM, 440},
    {"process_mrelease", EPERM, 448},
    {"pidfd_getfd", EPERM, 438},
    {"kcmp", EPERM},
    {"move_pages", ENOSYS},
    {"migrate_pages", ENOSYS},
    // The machine.
    {"kexec_load", EPERM},
    {"kexec_file_load", EPERM},
    {"init_module", EPERM},
    {"finit_module", EPERM},
    {"delete_module", EPERM},
    {"create_module", ENOSYS},
    {"query_module", ENOSYS},
    {"get_kernel_syms", ENOSYS},
    {"reboot", EPERM},
    {"swapon", EPERM},
    {"swapoff", EPERM},
    {"acct", EPERM},
    {"quotactl", ENOSYS},
    {"quotactl_fd", ENOSYS, 443},
    {"nfsservctl", ENOSYS},
    {"syslog", EPERM},
    {"sethostname", EPERM},
    {"setdomainname", EPERM},
    {"settimeofday", EPERM},
    {"clock_settime", EPERM},
    {"clock_settime64", EPERM},
    {"clock_adjtime", EPERM},
    {"clock_adjtime64", EPERM},
    {"adjtimex", EPERM},
    {"stime", EPERM},
    {"vhangup", EPERM},
    {"iopl", EPERM},
    {"ioperm", EPERM},
    {"modify_ldt", ENOSYS},
    {"vm86", ENOSYS},
    {"vm86old", ENOSYS},
    {"uselib", ENOSYS},
    {"ustat", ENOSYS},
    {"sysfs", ENOSYS},
    {"_sysctl", ENOSYS},
    {"set_mempolicy_home_node", ENOSYS, 450},
    {"lsm_set_self_attr", ENOSYS, 460},
};

}    // namespace caisson
