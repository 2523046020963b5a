#pragma once

#include "adapters/containers/foreign_servers.hpp"
#include "core/base/config.hpp"
#include "core/runtime/types.hpp"

#include <vector>

namespace caisson {

/// Runs the server until SIGTERM or SIGINT; returns the exit status of the process.
int serve(const server_config& config);

/// Probes what each enabled runtime can do on this host. Blocks.
std::vector<runtime_capabilities> probe_runtimes(const server_config& config);

/// Servers of this host whose data is gone but whose control groups remain. Empty unless run by root. Changes nothing.
std::vector<dead_instance> find_dead_instances(const server_config& config);

/// Other servers with containers on the configured engine; empty if no enabled runtime uses it or it does not answer. Blocks for a few
/// seconds at most; changes nothing.
std::vector<docker::foreign_server> find_foreign_containers(const server_config& config);

}    // namespace caisson
