#pragma once

#include "adapters/host/cgroup/control_group.hpp"

namespace caisson::docker {

/// The engine's cgroup of a container whose first process is `pid`, for reading and killing. Has no members if it is not visible here:
/// on another host, in another pid namespace, or without mounted cgroups. `container` must be the full id: a shorter one finds
/// nothing, since it could match another group's path, and the group may be killed.
control_group cgroup_of(std::shared_ptr<cgroup_io> io, std::int64_t pid, const std::string& container);

/// The members of cgroup_of(), from the content of /proc. Ignores groups whose path does not contain the container's id.
std::vector<cgroup_member> cgroup_members(std::string_view mountinfo, std::string_view cgroup_of_process, const std::string& container);

}    // namespace caisson::docker
