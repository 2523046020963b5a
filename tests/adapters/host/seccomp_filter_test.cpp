#include "adapters/host/seccomp_filter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace caisson {

namespace {

TEST(SeccompFilter, IsAProgramTheKernelTakes)
{
    for (const auto* filter : {&payload_filter(), &agent_filter()}) {
        EXPECT_EQ(filter->size() % sizeof(sock_filter), 0U);
        EXPECT_GT(filter->size() / sizeof(sock_filter), 100U);
        EXPECT_LE(filter->size() / sizeof(sock_filter), static_cast<std::size_t>(BPF_MAXINSNS));
    }
}

/// What `attempt` returns under the payload's filter, in a child of its own: its result, or minus errno.
template <class Attempt>
int under_the_filter(Attempt attempt)
{
    const pid_t child = ::fork();
    if (child == 0) {
        const auto& filter = payload_filter();
        std::vector<sock_filter> code(filter.size() / sizeof(sock_filter));
        std::memcpy(code.data(), filter.data(), filter.size());
        const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            ::_exit(255);
        const long result = attempt();
        ::_exit(result >= 0 ? 0 : errno);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

TEST(SeccompFilter, AllowsTcpAndUdpOnly)
{
    EXPECT_EQ(under_the_filter([] { return ::socket(AF_INET, SOCK_STREAM, IPPROTO_TCP); }), 0);
    EXPECT_EQ(under_the_filter([] { return ::socket(AF_INET, SOCK_DGRAM, 0); }), 0);
    for (const int protocol : {1, 33, 132, 136, 262})
        EXPECT_EQ(under_the_filter([protocol] { return ::socket(AF_INET, SOCK_STREAM, protocol); }), EPROTONOSUPPORT) << protocol;
}

TEST(SeccompFilter, KeepsTheCoreLimitAndSaysNothing)
{
    const auto change = [] {
        const rlimit before{77, 77};
        rlimit after{};
        const int result = ::setrlimit(RLIMIT_CORE, &before);
        ::getrlimit(RLIMIT_CORE, &after);
        return after.rlim_cur == 77 ? -1 : result;
    };
    EXPECT_EQ(under_the_filter(change), 0);
}

TEST(SeccompFilter, IsNotLongerThanWhatAStartCanPayFor)
{
    constexpr std::size_t most_of_all = 330;
    constexpr std::size_t most_of_rest = 66;
    for (const std::uint32_t architecture : {AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64}) {
        EXPECT_LE(make_filter(filter_part::payload, architecture).size() / sizeof(sock_filter), most_of_all);
        EXPECT_LE(make_filter(filter_part::rest_of_payload, architecture).size() / sizeof(sock_filter), most_of_rest);
    }
    EXPECT_THROW(make_filter(filter_part::payload, AUDIT_ARCH_I386), std::runtime_error);
}

/// A system call as it is, without what the C library makes of it.
struct kernel_case {
    const char* name;
    long number;
    std::array<long, 6> with;
    int want;
};

class SeccompKernel : public ::testing::TestWithParam<kernel_case> { };

TEST_P(SeccompKernel, AnswersWith)
{
    const auto& c = GetParam();
    const auto& a = c.with;
    EXPECT_EQ(under_the_filter([&] { return ::syscall(c.number, a[0], a[1], a[2], a[3], a[4], a[5]); }), c.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, SeccompKernel,
    ::testing::Values(kernel_case{"memfd_of_all_flags", SYS_memfd_create, {0, 0xffff'ffff}, EINVAL},
        kernel_case{"memfd_of_a_flag_that_is_not_there", SYS_memfd_create, {0, 0x1000}, EINVAL},
        kernel_case{"memfd_without_a_name", SYS_memfd_create, {0, 0}, EFAULT},
        kernel_case{"huge_pages_of_no_file", SYS_mmap, {0, 4096, 3, MAP_PRIVATE | MAP_HUGETLB, -1, 0}, EBADF},
        kernel_case{"io_uring", SYS_io_uring_setup, {1, 0}, ENOSYS}, kernel_case{"handle", SYS_name_to_handle_at, {0}, EOPNOTSUPP},
        kernel_case{"quota", SYS_quotactl, {0}, ENOSYS}, kernel_case{"pages", SYS_move_pages, {0}, ENOSYS},
        kernel_case{"nothing_unshared", SYS_unshare, {0}, 0}, kernel_case{"files_unshared", SYS_unshare, {CLONE_FILES | CLONE_FS}, 0},
        kernel_case{"users_unshared", SYS_unshare, {CLONE_NEWUSER}, EPERM},
        kernel_case{"no_such_policy", SYS_sched_setscheduler, {0, 99, 0}, EINVAL},
        kernel_case{"priority_of_nobody", SYS_setpriority, {PRIO_PROCESS, 0x7fff'fff0, 5}, ESRCH},
        kernel_case{"the_first_process", SYS_setpriority, {PRIO_PROCESS, 1, 5}, EPERM},
        kernel_case{"packets_in_a_pair", SYS_socketpair, {AF_INET, SOCK_STREAM, 0, 0}, EOPNOTSUPP}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SeccompFilter, LeavesAThreadThePolicyThatHolds)
{
    EXPECT_EQ(under_the_filter([] {
        int policy = 0;
        sched_param parameters{};
        ::pthread_getschedparam(::pthread_self(), &policy, &parameters);
        errno = ::pthread_setschedparam(::pthread_self(), policy, &parameters);
        return errno == 0 ? 0 : -1;
    }),
        0);
}

TEST(SeccompFilter, LetsAProcessChooseItsProcessorsByNumber)
{
    EXPECT_EQ(under_the_filter([] {
        cpu_set_t processors;
        ::sched_getaffinity(0, sizeof processors, &processors);
        return ::sched_setaffinity(::gettid(), sizeof processors, &processors);
    }),
        0);
}

TEST(SeccompFilter, RefusesPagesThatNoGroupCounts)
{
    EXPECT_EQ(under_the_filter([] { return ::memfd_create("x", MFD_HUGETLB); }), ENOMEM);
    EXPECT_EQ(under_the_filter([] { return ::shmget(IPC_PRIVATE, 4096, 0600 | SHM_HUGETLB); }), ENOMEM);
    EXPECT_EQ(under_the_filter([] { return ::memfd_create("x", 0); }), 0);
}

TEST(SeccompFilter, LeavesTwoPersonalitiesAndTheQuestion)
{
    constexpr unsigned long no_randomize = ADDR_NO_RANDOMIZE;
    constexpr unsigned long query = 0xffff'ffff;
    const auto set = [](unsigned long to) { return under_the_filter([to] { return ::syscall(SYS_personality, to); }); };
    for (const unsigned long allowed : {0UL, no_randomize, query, 1UL << 32, ~0UL})    // the kernel reads 32 bits
        EXPECT_EQ(set(allowed), 0) << std::hex << allowed;
    for (int bit = 0; bit < 32; ++bit) {
        const auto only = 1UL << bit;
        for (const auto refused : {only, only | no_randomize, only | (1UL << 32), query & ~only})
            if ((refused & query) != no_randomize)
                EXPECT_EQ(set(refused), EPERM) << std::hex << refused;
    }
}

TEST(SeccompFilter, DoesNotSyncTheHost)
{
    EXPECT_EQ(under_the_filter([] { return ::syncfs(-1); }), 0);
}

TEST(SeccompFilter, OfThePayloadRefusesMore) { EXPECT_GT(payload_filter().size(), agent_filter().size()); }

}    // namespace

}    // namespace caisson
