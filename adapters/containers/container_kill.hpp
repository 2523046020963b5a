#pragma once

#include "adapters/engine/engine.hpp"
#include "adapters/host/cgroup/control_group.hpp"

#include <string>

namespace caisson::docker {

/// Kills a container's processes from this host, if they are visible and may be killed, and waits until the engine notices; returns at
/// once if it is not running. Thaws a paused container. `group` is the container's cgroup if known.
/// A kill by the engine may be slow: a busy gVisor kernel handles it late, and during the kill containerd buffers 32 process exits and
/// delays each further one by a second, while gVisor has a process for each address space.
/// Returns false if the container may still run, so that the engine must end it. Waits until `until` at most.
task<bool> end_from_here(engine* on, std::string id, control_group group, steady_time until);

}    // namespace caisson::docker
