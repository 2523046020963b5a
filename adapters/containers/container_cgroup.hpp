#pragma once

#include "adapters/host/cgroup/control_group.hpp"

namespace caisson::docker {

/// The engine's group of a container whose first process is `pid`, to be read and to be killed. Without members if it is not seen from
/// here: on another host, in another pid namespace, or where cgroups are not mounted.
/// Less than a whole id finds nothing: it could be in the path of a group that is not the container's, and what is found is killed.
control_group cgroup_of(std::shared_ptr<cgroup_io> io, std::int64_t pid, const std::string& container);

/// As cgroup_of(), of what /proc says. Groups whose path does not name the container are not its own.
std::vector<cgroup_member> cgroup_members(std::string_view mountinfo, std::string_view cgroup_of_process, const std::string& container);

}    // namespace caisson::docker
