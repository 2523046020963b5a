#include "adapters/containers/container_cgroup.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

namespace caisson::docker {
namespace {

constexpr std::string_view v1_mounts = "30 20 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                       "31 20 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                                       "32 20 0:28 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n"
                                       "33 20 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
constexpr std::string_view v2_mounts = "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

TEST(ContainerCgroup, OfVersion1HasItsControllers)
{
    const auto members = cgroup_members(v1_mounts, "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n2:freezer:/docker/abc\n0::/\n", "abc");
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(members[0].directory, "/sys/fs/cgroup/memory/docker/abc");
    EXPECT_EQ(members[0].controls, cgroup_control::memory);
    EXPECT_EQ(members[1].directory, "/sys/fs/cgroup/cpu,cpuacct/docker/abc");
    EXPECT_EQ(members[1].controls, cgroup_control::cpu_usage);
}

TEST(ContainerCgroup, OfAHybridHostIsInVersion2WhatVersion1LacksOnly)
{
    const auto members = cgroup_members(v1_mounts, "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/docker/abc\n", "abc");
    ASSERT_EQ(members.size(), 3u);
    EXPECT_EQ(members[0].version, cgroup_version::v2);
    EXPECT_EQ(members[0].controls, cgroup_control::pids);
    EXPECT_EQ(members[1].controls, cgroup_control::memory);
    EXPECT_EQ(members[2].controls, cgroup_control::cpu_usage);
}

TEST(ContainerCgroup, OfVersion2IsOne)
{
    const auto members = cgroup_members(v2_mounts, "0::/system.slice/docker-abc.scope\n", "abc");
    ASSERT_EQ(members.size(), 1u);
    EXPECT_EQ(members[0].directory, "/sys/fs/cgroup/system.slice/docker-abc.scope");
    EXPECT_EQ(members[0].version, cgroup_version::v2);
}

TEST(ContainerCgroup, OfAnotherProcessIsNotRead)
{
    EXPECT_TRUE(cgroup_members(v2_mounts, "0::/user.slice/somebody\n", "abc").empty());
    EXPECT_TRUE(cgroup_members(v2_mounts, "0::/docker/abc\n", "").empty());
    const std::string id(64, 'a');
    EXPECT_TRUE(cgroup_of(std::make_shared<system_cgroup_io>(), 1, id).members().empty());
    EXPECT_TRUE(cgroup_of(std::make_shared<system_cgroup_io>(), 0, id).members().empty());
    EXPECT_TRUE(cgroup_of(std::make_shared<system_cgroup_io>(), ::getpid(), "/").members().empty()) << "every path has that in it";
}

}    // namespace
}    // namespace caisson::docker
