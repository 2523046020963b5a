#pragma once

#include "core/base/config.hpp"
#include "core/base/error.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// One setting given on the command line.
struct flag_setting {
    std::string flag;    // as given, for messages: "--listen"
    std::string key;     // the setting's name: "listen"
    std::string value;
};

/// Host properties that defaults depend on.
struct host_facts {
    bool is_root = false;
    unsigned cores = 1;
    std::int64_t memory_bytes = 0;    // usable by sandboxes; 0: unknown
    std::filesystem::path executable_dir;
};

/// The sources of a config; later members take precedence.
struct config_sources {
    host_facts host;
    std::optional<std::filesystem::path> file;         // TOML
    std::map<std::string, std::string> environment;    // only CAISSON_*, HOME and XDG_STATE_HOME are used
    std::vector<flag_setting> flags;
};

/// Reads all sources. Errors: errc::bad_request with every mistake in `fields`. `field` is its place (file:line:column, or the name of a
/// variable or flag); `message` says what is wrong and what is valid.
result<server_config> load_config(const config_sources& sources);

/// /var/lib/caisson for root, else $XDG_STATE_HOME/caisson or ~/.local/state/caisson; empty if neither is known.
std::filesystem::path default_data_dir(const host_facts& host, const std::map<std::string, std::string>& environment);

/// The facts of this process and machine.
host_facts this_host();
std::map<std::string, std::string> this_environment();

/// All settings with value, description, type and variable, for `caisson serve --help-config`.
std::string describe_settings(const config_sources& sources);

}    // namespace caisson
