#include "adapters/host/host_memory.hpp"

#include "tests/adapters/host/fake_cgroups.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

constexpr auto meminfo = "MemTotal:       1000000 kB\nMemFree:         200000 kB\n";
constexpr auto of_v2 = "30 23 0:26 / /cg rw shared:4 - cgroup2 cgroup2 rw\n";
constexpr auto of_v1 = "30 23 0:26 / /cg rw shared:4 - cgroup cgroup rw,memory\n";

struct HostMemory : ::testing::Test {
    caisson::testing::fake_cgroups kernel{"/cg", "memory"};

    std::int64_t usable(std::string_view mounts, std::string_view own, groups_at where = groups_at::own) const
    {
        return usable_memory_bytes(kernel, where, meminfo, mounts, own);
    }
};

TEST_F(HostMemory, IsTheHostsWhereNoGroupHasALimit)
{
    EXPECT_EQ(usable("", ""), 1'024'000'000);
    kernel.set("/cg/a/memory.max", "max\n");
    EXPECT_EQ(usable(of_v2, "0::/a/b\n"), 1'024'000'000);
}

TEST_F(HostMemory, IsTheLeastOfAllGroupsAbove)
{
    kernel.set("/cg/a/b/memory.max", "800000000\n");
    kernel.set("/cg/a/memory.max", "700000000\n");
    EXPECT_EQ(usable(of_v2, "0::/a/b\n"), 700'000'000);
    EXPECT_EQ(usable(of_v2, "0::/c\n"), 1'024'000'000);
}

TEST_F(HostMemory, IsNotThatOfTheServersUnitWhereSandboxesAreBesideIt)
{
    kernel.set("/cg/a/memory.max", "700000000\n");
    EXPECT_EQ(usable(of_v2, "0::/a\n", groups_at::top), 1'024'000'000);
    kernel.set("/cg/memory.max", "900000000\n");    // of a container
    EXPECT_EQ(usable(of_v2, "0::/a\n", groups_at::top), 900'000'000);
}

TEST_F(HostMemory, IsOfVersion1Too)
{
    kernel.set("/cg/a/memory.limit_in_bytes", "600000000\n");
    kernel.set("/cg/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(usable(of_v1, "4:memory:/a\n"), 600'000'000);
    EXPECT_EQ(usable(of_v1, "4:memory:/\n"), 1'024'000'000);
}

TEST_F(HostMemory, IsNotKnownWithoutTheKernelsWord)
{
    EXPECT_EQ(usable_memory_bytes(kernel, groups_at::own, "", of_v2, "0::/a\n"), 0);
    EXPECT_EQ(usable_memory_bytes(kernel, groups_at::own, "MemTotal: x kB\n", "", ""), 0);
}

}    // namespace
}    // namespace caisson
