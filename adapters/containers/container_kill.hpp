#pragma once

#include "adapters/engine/engine.hpp"
#include "adapters/host/cgroup/control_group.hpp"

#include <string>

namespace caisson::docker {

/// Ends a container by its processes, where they are seen from here and may be killed, and returns when its engine has noticed: at once if
/// it does not run. One that is paused is thawed. `group`: its own, if that is known already.
///
/// An engine that is asked for the kill instead may take long. gVisor's kernel is slow to hear of it if its programs keep it busy; and
/// containerd, as long as such a kill is under way, takes in 32 ends of processes and waits a second with each one more, while gVisor has a
/// process for each address space of a program.
///
/// False: it may still run, and the engine has to end it. Waits for an answer that does not come until `until` at the latest.
task<bool> end_from_here(engine* on, std::string id, control_group group, steady_time until);

}    // namespace caisson::docker
