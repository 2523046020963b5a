#include "core/adapters/spawn/seccomp_filter.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
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
