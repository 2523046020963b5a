#include "adapters/host/seccomp_argument_rules.hpp"
#include "adapters/host/seccomp_filter.hpp"
#include "tests/adapters/host/bpf_machine.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <seccomp.h>
#include <set>

namespace caisson {

namespace {

struct errno_case {
    const char* name;
    int want;           // errno; 0: nothing is done
    int number = -1;    // of calls that libseccomp may not know
    bool x86_only = false;
};

class RefusedCall : public ::testing::TestWithParam<errno_case> { };

std::uint32_t answer_of(const std::vector<sock_filter>& filter, std::uint32_t architecture, int number, std::uint64_t arguments)
{
    seccomp_data call{};
    call.nr = number;
    call.arch = architecture;
    for (auto& each : call.args)
        each = arguments;
    return testing::run_filter(filter, call).value_or(0);
}

int number_on(const errno_case& which, std::uint32_t architecture)
{
    const int number = seccomp_syscall_resolve_name_arch(architecture, which.name);
    return number == __NR_SCMP_ERROR ? which.number : number;
}

TEST_P(RefusedCall, GetsTheErrnoWithWhichLibrariesGoOn)
{
    const auto& c = GetParam();
    for (const std::uint32_t architecture : {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64}) {
        const int number = number_on(c, architecture);
        if (architecture == AUDIT_ARCH_AARCH64 && c.x86_only) {
            EXPECT_LT(number, 0);
            continue;
        }
        ASSERT_GE(number, 0);
        for (const auto part : {filter_part::payload, filter_part::agent}) {
            const auto filter = testing::instructions_of(make_filter(part, architecture));
            for (const auto arguments : {0ULL, 1ULL, ~0ULL})
                EXPECT_EQ(answer_of(filter, architecture, number, arguments), SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(c.want));
        }
    }
}

constexpr errno_case refused_cases[] = {
    {"clone3", ENOSYS},
    {"setns", EPERM},
    {"mount", EPERM},
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

    {"keyctl", ENOSYS},
    {"add_key", ENOSYS},
    {"request_key", ENOSYS},
    {"io_uring_setup", ENOSYS, 425},
    {"io_uring_enter", ENOSYS, 426},
    {"io_uring_register", ENOSYS, 427},
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

    {"sync", 0},
    {"syncfs", 0},
    {"name_to_handle_at", EOPNOTSUPP},
    {"open_by_handle_at", EPERM},

    {"ptrace", EPERM},
    {"process_vm_readv", EPERM},
    {"process_vm_writev", EPERM},
    {"process_madvise", EPERM, 440},
    {"process_mrelease", EPERM, 448},
    {"pidfd_getfd", EPERM, 438},
    {"kcmp", EPERM},
    {"move_pages", ENOSYS},
    {"migrate_pages", ENOSYS},

    {"kexec_load", EPERM},
    {"kexec_file_load", EPERM},
    {"init_module", EPERM},
    {"finit_module", EPERM},
    {"delete_module", EPERM},
    {"create_module", ENOSYS, -1, true},
    {"query_module", ENOSYS, -1, true},
    {"get_kernel_syms", ENOSYS, -1, true},
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
    {"clock_adjtime", EPERM},
    {"adjtimex", EPERM},
    {"vhangup", EPERM},
    {"iopl", EPERM, -1, true},
    {"ioperm", EPERM, -1, true},
    {"modify_ldt", ENOSYS, -1, true},
    {"uselib", ENOSYS, -1, true},
    {"ustat", ENOSYS, -1, true},
    {"sysfs", ENOSYS, -1, true},
    {"_sysctl", ENOSYS, -1, true},
    {"set_mempolicy_home_node", ENOSYS, 450},
    {"lsm_set_self_attr", ENOSYS, 460},
};

INSTANTIATE_TEST_SUITE_P(
    Calls, RefusedCall, ::testing::ValuesIn(refused_cases), [](const auto& info) { return std::string(info.param.name); });

/// What the tables of this folder's tests name on `architecture`.
std::set<int> numbers_named(std::uint32_t architecture)
{
    std::set<int> named;
    for (const auto& each : refused_cases)
        named.insert(number_on(each, architecture));
    for (const auto& rules : {common_argument_rules(), program_argument_rules()})
        for (const auto& each : rules)
            named.insert(seccomp_syscall_resolve_name_arch(architecture, each.name));
    return named;
}

/// Of all numbers that there are, and some that there are not yet.
TEST(RefusedCalls, AreThoseOfTheTableAndNoOthers)
{
    for (const std::uint32_t architecture : {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64}) {
        const auto named = numbers_named(architecture);
        const auto filter = testing::instructions_of(make_filter(filter_part::payload, architecture));
        for (int number = 0; number < 700; ++number) {
            if (named.contains(number))
                continue;
            for (const auto arguments : {0ULL, 1ULL, ~0ULL})
                EXPECT_EQ(answer_of(filter, architecture, number, arguments), SECCOMP_RET_ALLOW) << number << " on " << architecture;
        }
    }
}

}    // namespace

}    // namespace caisson
