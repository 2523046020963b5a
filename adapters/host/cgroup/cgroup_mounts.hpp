#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caisson {

enum class cgroup_version { v1, v2 };

/// A mounted cgroup hierarchy.
struct cgroup_mount {
    std::string path;    // mount point
    cgroup_version version = cgroup_version::v2;
    std::vector<std::string> controllers;    // of v1; v2 lists its own in cgroup.controllers
    std::string own_group;                   // this process's group below `path`; empty if not visible there
};

/// The hierarchies in /proc/self/mountinfo, v2 first, each with this process's group from /proc/self/cgroup. A hierarchy mounted more than
/// once is listed once. Hierarchies without controllers (name=…) are omitted.
std::vector<cgroup_mount> parse_cgroup_mounts(std::string_view mountinfo, std::string_view self_cgroup);

/// Mount point in a line of /proc/PID/mountinfo; empty if it is no such line.
std::string mount_point_of(const std::string& line);

}    // namespace caisson
