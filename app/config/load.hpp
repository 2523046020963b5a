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
    std::string flag;    // as typed, for messages: "--listen"
    std::string key;     // the setting's name: "listen"
    std::string value;
};

/// What the defaults depend on.
struct host_facts {
    bool is_root = false;
    unsigned cores = 1;
    std::int64_t memory_bytes = 0;    // that sandboxes may use; 0: not known
    std::filesystem::path executable_dir;
};

/// Where a config comes from; later members win.
struct config_sources {
    host_facts host;
    std::optional<std::filesystem::path> file;         // TOML
    std::map<std::string, std::string> environment;    // of the process; only CAISSON_*, HOME, XDG_STATE_HOME are looked at
    std::vector<flag_setting> flags;
};

/// Reads all sources. Errors: errc::bad_request with every mistake in `fields`: `field` is its place (file:line:column, a
/// variable's or a flag's name), `message` what is wrong and what would be right.
result<server_config> load_config(const config_sources& sources);

/// /var/lib/caisson for root, else $XDG_STATE_HOME/caisson or ~/.local/state/caisson; empty where neither is known.
std::filesystem::path default_data_dir(const host_facts& host, const std::map<std::string, std::string>& environment);

/// Of this process and machine.
host_facts this_host();
std::map<std::string, std::string> this_environment();

/// Every setting with its type, range and default, one a line: what `caisson serve --help-config` prints.
std::string describe_settings(const config_sources& sources);

}    // namespace caisson
