#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caisson {

enum class cgroup_version { v1, v2 };

/// A mounted cgroup hierarchy.
struct cgroup_mount {
    std::string path;    // where it is mounted
    cgroup_version version = cgroup_version::v2;
    std::vector<std::string> controllers;    // of v1; v2 tells its own in cgroup.controllers
    std::string own_group;                   // this process's directory below `path`; empty if it is not visible there
};

/// The hierarchies of /proc/self/mountinfo with the place of a process by its /proc/self/cgroup, v2 first. A hierarchy that is
/// mounted more than once is listed once. Hierarchies without controllers (name=…) are left out.
std::vector<cgroup_mount> parse_cgroup_mounts(std::string_view mountinfo, std::string_view self_cgroup);

/// Where the file system of one line of /proc/PID/mountinfo is mounted; empty if it is no such line.
std::string mount_point_of(const std::string& line);

}    // namespace caisson
