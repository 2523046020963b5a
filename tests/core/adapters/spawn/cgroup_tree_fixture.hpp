#pragma once

#include "core/adapters/spawn/cgroup_tree.hpp"
#include "tests/core/adapters/spawn/fake_cgroups.hpp"

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

}    // namespace caisson::testing
