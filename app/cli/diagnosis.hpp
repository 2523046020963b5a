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

/// One finding of `doctor`.
struct finding {
    finding_state state = finding_state::ok;
    std::string what;      // "runtime bubblewrap"
    std::string detail;    // what was found
    std::string remedy;    // what to do; empty: nothing
};

std::string_view to_string(finding_state state);

/// Checks the files that a server with `config` needs: programs, data directory, interpreters. Changes nothing.
std::vector<finding> look_at_host(const server_config& config);

/// Checks the TLS certificate of `config` at `now_ms`; empty if none is configured.
std::vector<finding> look_at_certificate(const server_config& config, std::int64_t now_ms);

/// Findings from the probes. A runtime that does not work is "failed" if it is the default, else "degraded".
std::vector<finding> judge_runtimes(const std::vector<runtime_capabilities>& found, const server_config& config);

/// Dead servers whose control groups remain, each with the command that removes them.
std::vector<finding> judge_dead_instances(const std::vector<dead_instance>& dead);

/// Other servers' containers on the engine at `engine`. For a server that does not run here: with the command that removes them. This
/// server never removes them.
std::vector<finding> judge_foreign_containers(const std::vector<docker::foreign_server>& foreign, const std::string& engine);

/// True if `all` has no failed finding.
bool healthy(const std::vector<finding>& all);

std::string findings_text(const std::vector<finding>& all, bool colours);
boost::json::array findings_json(const std::vector<finding>& all);

}    // namespace caisson::cli
