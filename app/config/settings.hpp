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
using setting_value = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;    // ordered as setting_kind

/// A config being read, with unchecked values for members of `config` that check_config() sets.
struct draft_config {
    server_config config;
    std::string default_runtime = "auto";
    std::vector<std::string> enabled_runtimes = {"bubblewrap"};
    bool process_without_isolation = false;
    bool mock_for_tests = false;
};

/// A setting. `apply` takes a value of `kind` and returns the problem, if any.
struct setting {
    std::string key;    // "http.max_body_bytes", as in TOML
    setting_kind kind;
    std::string about;    // one-line description
    std::function<std::optional<std::string>(const setting_value&)> apply;
    std::function<std::string()> shown;    // the current value
};

/// All settings, bound to `draft`, which must outlive them.
std::vector<setting> settings_of(draft_config& draft);

/// A setting such as "tenants.NAME.weight", bound to `draft`, which gets a tenant of that name. Nullopt if `key` is not one.
std::optional<setting> tenant_setting(draft_config& draft, const std::string& key);

/// As tenant_setting(), for "images.credentials.REGISTRY.username" and "….password_file".
std::optional<setting> registry_setting(draft_config& draft, const std::string& key);

/// Settings by key. Settings of single tenants and registries are created on lookup.
class setting_book {
public:
    /// `draft` must outlive the book.
    explicit setting_book(draft_config& draft) : draft_(draft), settings_(settings_of(draft)) { }

    /// Null if there is no such setting. Valid until the next call.
    const setting* find(const std::string& key);
    /// True for "http", "tenants", "tenants.acme" and the like: a table of settings.
    bool is_group(const std::string& key) const;
    /// The message for an invalid key: `otherwise`, except below tenants and registries.
    static std::string mistake_of(const std::string& key, std::string otherwise = "unknown key");
    /// All settings but those of single tenants and registries.
    const std::vector<setting>& fixed() const { return settings_; }

private:
    draft_config& draft_;
    std::vector<setting> settings_;
    std::optional<setting> single_;    // of the last tenant or registry looked up
};

/// "CAISSON_HTTP_MAX_BODY_BYTES" for "http.max_body_bytes".
std::string environment_name(std::string_view key);

/// For messages: "an integer".
std::string_view name_of(setting_kind kind);

/// Parses the text of a variable or flag; nullopt if it is not of `kind`. Splits lists at commas.
std::optional<setting_value> parse_setting(setting_kind kind, std::string_view text);

struct host_and_port {
    std::string host;
    std::uint16_t port = 0;
};
/// Splits "HOST:PORT" or "[V6]:PORT"; nullopt for other forms or a port above 65535.
std::optional<host_and_port> parse_host_and_port(std::string_view text);

/// True for an ASCII module name as in a Python import: "numpy", "os.path".
bool is_module_name(std::string_view name);

}    // namespace caisson
