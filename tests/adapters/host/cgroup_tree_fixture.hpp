#pragma once

#include "adapters/host/cgroup/cgroup_tree.hpp"
#include "tests/adapters/host/fake_cgroups.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

inline constexpr sandbox_limits cgroup_test_limits{.memory_bytes = 100, .cpu_milli = 500, .pids = 7, .disk_bytes = 20, .inodes = 5};
inline constexpr auto cgroup_test_mounts = "30 23 0:26 / /cg rw shared:4 - cgroup2 cgroup2 rw\n";

/// A tree on a fake of cgroup v2, as root or as a user with a delegated group.
class cgroup_tree_fixture : public ::testing::Test {
protected:
    std::shared_ptr<fake_cgroups> kernel = std::make_shared<fake_cgroups>("/cg", "cpuset cpu io memory pids");
    cgroup_tree as_root{
        kernel, {.instance = "i", .privileged = true, .mountinfo = cgroup_test_mounts, .self_cgroup = "0::/system/server\n"}};
    cgroup_tree as_user{
        kernel, {.instance = "i", .privileged = false, .mountinfo = cgroup_test_mounts, .self_cgroup = "0::/own\n", .family = {41, 42}}};

    std::string at(const std::string& path) { return kernel->read("/cg/" + path).value_or("(none)"); }
};

inline std::vector<std::string> directories_of(const control_group& group)
{
    std::vector<std::string> found;
    for (const auto& member : group.members())
        found.push_back(member.directory);
    return found;
}

/// A host with cgroup v1 alone: memory, and pids in another hierarchy, with a freezer or without.
class cgroup_v1_tree_fixture : public cgroup_tree_fixture {
protected:
    cgroup_tree& prepared(bool freezes)
    {
        for (const char* name : {"/cg/memory", "/cg/others", "/cg/blkio"})
            kernel->make_directory(name);
        for (const char* name : {"read_bps_device", "read_iops_device"})
            kernel->set(std::string("/cg/blkio/caisson-i/blkio.throttle.") + name, "");
        kernel->set("/cg/memory/caisson-i/memory.limit_in_bytes", "");
        kernel->set("/cg/others/caisson-i/pids.max", "");
        if (freezes)
            kernel->set("/cg/others/caisson-i/freezer.state", "");
        tree.prepare();
        return tree;
    }

private:
    cgroup_tree tree{kernel, {.instance = "i",
                                 .privileged = true,
                                 .mountinfo = "31 23 0:27 / /cg/memory rw shared:5 - cgroup cgroup rw,memory\n"
                                              "32 23 0:28 / /cg/others rw shared:6 - cgroup cgroup rw,pids,freezer\n"
                                              "33 23 0:29 / /cg/blkio rw shared:7 - cgroup cgroup rw,blkio\n",
                                 .self_cgroup = "5:memory:/\n6:pids,freezer:/\n7:blkio:/\n"}};
};

}    // namespace caisson::testing
