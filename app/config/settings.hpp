#pragma once

#include "core/base/config.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace caisson {

enum class setting_kind { text, integer, boolean, text_list };
using setting_value = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;    // in the order of setting_kind

/// A config while it is read: what server_config says in checked form, as it was given.
struct draft_config {
    server_config config;
    std::string default_runtime = "auto";
    std::vector<std::string> enabled_runtimes = {"bubblewrap"};
    bool process_without_isolation = false;
    bool mock_for_tests = false;
};

/// One thing that can be configured. `apply` takes a value of `kind` and returns what is wrong with it, if anything.
struct setting {
    std::string key;    // "http.max_body_bytes", as in TOML
    setting_kind kind;
    std::string about;    // one line for people
    std::function<std::optional<std::string>(const setting_value&)> apply;
    std::function<std::string()> shown;    // the present value
};

/// All settings, bound to `draft`, which must outlive them.
std::vector<setting> settings_of(draft_config& draft);

/// The setting "tenants.NAME.weight" and the like, bound to `draft`, which gets a tenant of that name; nothing if `key` is none.
std::optional<setting> tenant_setting(draft_config& draft, const std::string& key);

/// The same of "images.credentials.REGISTRY.username" and "….password_file".
std::optional<setting> registry_setting(draft_config& draft, const std::string& key);

/// Settings by their keys; those of single tenants and registries come into being when they are asked for.
class setting_book {
public:
    /// `draft` must outlive it.
    explicit setting_book(draft_config& draft) : draft_(draft), settings_(settings_of(draft)) { }

    /// Nothing if there is no such setting. Valid until the next call.
    const setting* find(const std::string& key);
    /// True for "http", "tenants", "tenants.acme" and the like: a table of settings.
    bool is_group(const std::string& key) const;
    /// What is wrong with a key that is neither, or that is a group where a value stands.
    static std::string mistake_of(const std::string& key, std::string otherwise = "unknown key");
    /// All but those of single tenants and registries.
    const std::vector<setting>& fixed() const { return settings_; }

private:
    draft_config& draft_;
    std::vector<setting> settings_;
    std::optional<setting> single_;    // of one of them
};

/// "CAISSON_HTTP_MAX_BODY_BYTES" of "http.max_body_bytes".
std::string environment_name(std::string_view key);

/// For messages: "an integer".
std::string_view name_of(setting_kind kind);

/// The value that `text` (of a variable or a flag) means; nothing if it is not one of `kind`. Lists are split at commas.
std::optional<setting_value> parse_setting(setting_kind kind, std::string_view text);

/// Splits "HOST:PORT" or "[V6]:PORT"; nothing if it is neither or the port is above 65535.
struct host_and_port {
    std::string host;
    std::uint16_t port = 0;
};
std::optional<host_and_port> parse_host_and_port(std::string_view text);

/// As Python's import takes one: "numpy", "os.path".
bool is_module_name(std::string_view name);

}    // namespace caisson
