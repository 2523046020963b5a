#pragma once

#include "adapters/containers/foreign_servers.hpp"
#include "core/base/config.hpp"
#include "core/runtime/types.hpp"

#include <vector>

namespace caisson {

/// Runs the server until SIGTERM or SIGINT; returns the exit status of the process.
int serve(const server_config& config);

/// What each enabled runtime can do on this host, found by trying. Blocks.
std::vector<runtime_capabilities> probe_runtimes(const server_config& config);

/// Servers of this host that are gone with their data, but not with their groups. Nothing unless by root. Changes nothing.
std::vector<dead_instance> find_dead_instances(const server_config& config);

/// Other servers of which containers are on the engine of the config, if runtimes on it are enabled and it answers. Blocks for some
/// seconds at most; changes nothing.
std::vector<docker::foreign_server> find_foreign_containers(const server_config& config);

}    // namespace caisson
