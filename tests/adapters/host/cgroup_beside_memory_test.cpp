#include "adapters/host/cgroup/cgroup_tree.hpp"

#include "tests/adapters/host/cgroup_tree_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <unistd.h>

/// What groups bound besides memory, processes and CPU: reads of disks, and memory of sockets.
namespace caisson {

namespace {

constexpr auto limits = caisson::testing::cgroup_test_limits;
using caisson::testing::directories_of;
using paths = std::vector<std::string>;

class CgroupDisks : public caisson::testing::cgroup_tree_fixture { };
class CgroupDisksOfV1 : public caisson::testing::cgroup_v1_tree_fixture { };

constexpr disk_read_limits few_reads{.bytes_per_s = 1'000, .reads_per_s = 0};
const std::vector<block_device> two_disks{{"sda", "8:0"}, {"sdb", "8:16"}};

TEST_F(CgroupDisks, AllSandboxesTakeTurnsAtWhatMayBeReadOfADisk)
{
    as_root.prepare();
    ASSERT_TRUE(as_root.limit_disk_reads(few_reads, two_disks).has_value());
    EXPECT_EQ(at("caisson-i/io.max"), "8:16 rbps=1000 riops=max") << "the last of two writes";
    EXPECT_EQ(at("caisson-i/cgroup.subtree_control"), "memory pids cpu io");
    EXPECT_TRUE(as_root.degraded().empty());
    EXPECT_TRUE(as_root.disk_group().members().empty()) << "each is below the root's group";
}

TEST_F(CgroupDisks, WithoutABoundOfReadsAnEarlierOneIsTakenBack)
{
    as_root.prepare();
    ASSERT_TRUE(as_root.limit_disk_reads({}, two_disks).has_value());
    EXPECT_EQ(at("caisson-i/io.max"), "8:16 rbps=max riops=max");
    EXPECT_EQ(at("caisson-i/cgroup.subtree_control"), "memory pids cpu");
}

TEST_F(CgroupDisks, ADiskThatIsNotBoundedIsTold)
{
    as_root.prepare();
    kernel->refusals["/cg/caisson-i/io.max"] = ENODEV;
    EXPECT_TRUE(as_root.limit_disk_reads(few_reads, two_disks).has_value()) << "they are gone meanwhile";
    kernel->refusals["/cg/caisson-i/io.max"] = EINVAL;
    const auto limited = as_root.limit_disk_reads(few_reads, two_disks);
    ASSERT_TRUE(limited.has_error());
    EXPECT_EQ(limited.error().detail, "sda: cgroup: io.max = 8:0 rbps=1000 riops=max: Invalid argument");
    ASSERT_EQ(as_root.degraded().size(), 1U);
    EXPECT_EQ(as_root.degraded()[0].control, "disk_reads");
    EXPECT_EQ(as_root.degraded()[0].reason, limited.error().detail);
    EXPECT_TRUE(as_root.limit_disk_reads({}, two_disks).has_value()) << "nothing is to be bounded";
    EXPECT_TRUE(as_root.degraded().empty());
}

TEST_F(CgroupDisks, WithoutADiskToBoundThatIsTold)
{
    as_root.prepare();
    EXPECT_TRUE(as_root.limit_disk_reads(few_reads, {}).has_error());
    ASSERT_EQ(as_root.degraded().size(), 1U);
    EXPECT_EQ(as_root.degraded()[0].reason, "/sys/block shows no disk");
}

TEST_F(CgroupDisks, OneDiskThatCannotBeBoundedTakesNoTurnsAway)
{
    as_root.prepare();
    kernel->refusals["/cg/caisson-i/io.max"] = EINVAL;
    EXPECT_TRUE(as_root.limit_disk_reads(few_reads, two_disks).has_error());
    EXPECT_EQ(at("caisson-i/cgroup.subtree_control"), "memory pids cpu io");
}

TEST_F(CgroupDisksOfV1, OneGroupHasAllThatReadsDisks)
{
    auto& tree = prepared(true);
    ASSERT_TRUE(tree.limit_disk_reads({.bytes_per_s = 1'000, .reads_per_s = 50}, two_disks).has_value());
    EXPECT_EQ(at("blkio/caisson-i/blkio.throttle.read_bps_device"), "8:16 1000");
    EXPECT_EQ(at("blkio/caisson-i/blkio.throttle.read_iops_device"), "8:16 50");
    EXPECT_EQ(directories_of(tree.disk_group()), paths{"/cg/blkio/caisson-i"});
    ASSERT_TRUE(tree.make_sandbox_group("sbx", limits).has_value());
    EXPECT_FALSE(kernel->exists("/cg/blkio/caisson-i/sbx")) << "limits of that hierarchy do not hold for groups below";
    ASSERT_TRUE(tree.limit_disk_reads({}, two_disks).has_value());
    EXPECT_EQ(at("blkio/caisson-i/blkio.throttle.read_bps_device"), "8:16 0") << "the kernel takes that for none";
    tree.release();
    EXPECT_FALSE(kernel->exists("/cg/blkio/caisson-i"));
}

TEST_F(CgroupDisksOfV1, WithoutAHierarchyThatBoundsReadsTheCauseIsTold)
{
    kernel->refusals["/cg/blkio/caisson-i"] = EROFS;
    auto& tree = prepared(true);
    EXPECT_EQ(tree.refusal(), "") << "the other hierarchies are of use";
    EXPECT_TRUE(tree.limit_disk_reads(few_reads, two_disks).has_error());
    EXPECT_TRUE(tree.disk_group().members().empty());
    const auto degraded = tree.degraded();
    const auto told = std::ranges::find(degraded, "disk_reads", &degradation::control);
    ASSERT_NE(told, degraded.end());
    EXPECT_EQ(told->reason, "/cg/blkio/caisson-i: Read-only file system");
}

TEST_F(CgroupDisksOfV1, TcpSocketsAreBoundedByHalfOfTheHostsAndByEachGroupsMemory)
{
    const std::string limit = "memory.kmem.tcp.limit_in_bytes";
    for (const auto* file : {"memory.swappiness", limit.c_str()})
        kernel->set(std::string("/cg/memory/caisson-i/") + file, "");
    kernel->set("/proc/sys/net/ipv4/tcp_mem", "10\t20\t30\n");
    auto& tree = prepared(true);
    const auto limited = tree.limit_memory(1'000);
    ASSERT_TRUE(limited.has_value()) << limited.error().detail;
    EXPECT_EQ(at("memory/caisson-i/" + limit), std::to_string(15 * ::sysconf(_SC_PAGESIZE)));
    const auto made = tree.make_sandbox_group("sbx", limits);
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    auto work = made->part(work_part);
    ASSERT_TRUE(work.make().has_value());
    for (const auto* file : {"memory.limit_in_bytes", limit.c_str(), "memory.swappiness"})
        kernel->set(std::string("/cg/memory/caisson-i/sbx/") + file, "");
    ASSERT_TRUE(work.limit({.memory_bytes = 70}).has_value());
    EXPECT_EQ(at("memory/caisson-i/sbx/" + limit), "70");
}

TEST_F(CgroupDisksOfV1, AnAgentBeginsInTheDisksGroupToo)
{
    auto& tree = prepared(true);
    ASSERT_TRUE(tree.make_sandbox_group("sbx", limits).has_value());
    const auto agent = tree.sandbox_group("sbx").part(agent_part);
    const auto own = agent.open_for_join();
    const auto all = tree.open_for_agent(agent);
    ASSERT_TRUE(own.has_value() && all.has_value());
    EXPECT_EQ(all->size(), own->size() + 1);
}

}    // namespace

}    // namespace caisson
