#include "adapters/host/cgroup/cgroup_mounts.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

std::string line(const std::string& root, const std::string& path, const std::string& type_and_options)
{
    return "36 31 0:33 " + root + " " + path + " rw,relatime shared:9 - " + type_and_options + "\n";
}

/// "v1 PATH [controllers] OWN" a line.
std::string describe(const std::vector<cgroup_mount>& mounts)
{
    std::string text;
    for (const auto& each : mounts) {
        text += (each.version == cgroup_version::v1 ? "v1 " : "v2 ") + each.path + " [";
        for (const auto& name : each.controllers)
            text += name + " ";
        text += "] " + each.own_group + "\n";
    }
    return text;
}

struct mounts_case {
    std::string_view name;
    std::string mountinfo;
    std::string self_cgroup;
    std::string want;
};

class CgroupMounts : public ::testing::TestWithParam<mounts_case> { };

TEST_P(CgroupMounts, AreFoundWithTheOwnGroup)
{
    const auto& c = GetParam();
    EXPECT_EQ(describe(parse_cgroup_mounts(c.mountinfo, c.self_cgroup)), c.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, CgroupMounts,
    ::testing::Values(mounts_case{"nothing", "", "", ""},
        mounts_case{"unified", line("/", "/sys/fs/cgroup", "cgroup2 cgroup2 rw,nsdelegate"), "0::/user.slice/run-1.scope\n",
            "v2 /sys/fs/cgroup [] /sys/fs/cgroup/user.slice/run-1.scope\n"},
        mounts_case{"at_the_top", line("/", "/sys/fs/cgroup", "cgroup2 cgroup2 rw"), "0::/\n", "v2 /sys/fs/cgroup [] /sys/fs/cgroup\n"},
        mounts_case{"hybrid_v2_first",
            line("/", "/sys/fs/cgroup/memory", "cgroup cgroup rw,memory") + line("/", "/sys/fs/cgroup/unified", "cgroup2 cgroup2 rw"),
            "4:memory:/a\n0::/b\n",
            "v2 /sys/fs/cgroup/unified [] /sys/fs/cgroup/unified/b\nv1 /sys/fs/cgroup/memory [memory ] /sys/fs/cgroup/memory/a\n"},
        mounts_case{"together", line("/", "/c", "cgroup cgroup rw,cpu,cpuacct"), "3:cpu,cpuacct:/x\n", "v1 /c [cpu cpuacct ] /c/x\n"},
        mounts_case{"others_left_out",
            line("/", "/c/systemd", "cgroup cgroup rw,xattr,name=systemd") + line("/", "/c/net", "cgroup cgroup rw,net_cls") +
                line("/", "/t", "tmpfs tmpfs rw"),
            "1:name=systemd:/\n", ""},
        mounts_case{"listed_once", line("/", "/one", "cgroup cgroup rw,pids") + line("/", "/two", "cgroup cgroup rw,pids"), "2:pids:/\n",
            "v1 /one [pids ] /one\n"},
        mounts_case{
            "part_of_a_container", line("/docker/abc", "/c", "cgroup cgroup rw,pids"), "2:pids:/docker/abc/d\n", "v1 /c [pids ] /c/d\n"},
        mounts_case{"own_group_outside", line("/docker/abc", "/c", "cgroup cgroup rw,pids"), "2:pids:/docker/abcd\n", "v1 /c [pids ] \n"},
        mounts_case{"own_group_above", line("/", "/c", "cgroup2 cgroup2 rw"), "0::/../..\n", "v2 /c [] \n"},
        mounts_case{"escaped_path", line("/", "/a\\040b", "cgroup2 cgroup2 rw"), "0::/\n", "v2 /a b [] /a b\n"},
        mounts_case{"malformed", "36 31 - cgroup\ngarbage\n36 31 0:33 / /c rw - cgroup2\n", ":\n::", ""}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson
