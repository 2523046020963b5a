#pragma once

#include "adapters/containers/foreign_servers.hpp"
#include "core/base/config.hpp"
#include "core/runtime/types.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace caisson::cli {

/// Functions of the server that the verbs call.
struct server_hooks {
    std::function<int(const server_config&)> serve;
    std::function<std::vector<runtime_capabilities>(const server_config&)> probe_runtimes;
    std::function<std::vector<dead_instance>(const server_config&)> find_dead_instances = {};
    std::function<std::vector<docker::foreign_server>(const server_config&)> find_foreign_containers = {};
};

/// Runs one verb. `args` excludes the program's name. Returns the process's exit status; never throws.
int run_cli(const std::vector<std::string>& args, const server_hooks& hooks);

}    // namespace caisson::cli
