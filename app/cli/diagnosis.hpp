#pragma once

#include "adapters/containers/foreign_servers.hpp"
#include "core/base/config.hpp"
#include "core/runtime/types.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace caisson::cli {

enum class finding_state { ok, degraded, failed, information };

/// One thing that `doctor` looked at.
struct finding {
    finding_state state = finding_state::ok;
    std::string what;      // "runtime bubblewrap"
    std::string detail;    // what was found
    std::string remedy;    // what to do; empty if nothing
};

std::string_view to_string(finding_state state);

/// What the files that a server with `config` needs look like: programs, data directory, interpreters. Looks, changes nothing.
std::vector<finding> look_at_host(const server_config& config);

/// What the TLS certificate of a server with `config` looks like at `now_ms`; nothing if it has none and needs none.
std::vector<finding> look_at_certificate(const server_config& config, std::int64_t now_ms);

/// What probing the runtimes gave. A runtime that does not work has failed if it is the default one.
std::vector<finding> judge_runtimes(const std::vector<runtime_capabilities>& found, const server_config& config);

/// Servers of which only control groups are left, each with the command that removes them.
std::vector<finding> judge_dead_instances(const std::vector<dead_instance>& dead);

/// Other servers' containers on the engine at `engine`, each with the command that removes those of one that is gone. None is ever removed
/// by this server.
std::vector<finding> judge_foreign_containers(const std::vector<docker::foreign_server>& foreign, const std::string& engine);

/// True if `all` has no failed finding.
bool healthy(const std::vector<finding>& all);

std::string findings_text(const std::vector<finding>& all, bool colours);
boost::json::array findings_json(const std::vector<finding>& all);

}    // namespace caisson::cli
