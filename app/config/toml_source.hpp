#pragma once

#include "app/config/settings.hpp"
#include "core/base/error.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// The place where each key was last set, for messages: "caisson.toml:3:1", "CAISSON_LISTEN" or "--listen".
using setting_places = std::map<std::string, std::string>;

/// Applies the TOML document `text`, named `name` in messages, to `settings`. Adds mistakes to `mistakes`; on a syntax error it applies
/// nothing.
void apply_toml(
    std::string_view text, const std::string& name, setting_book& settings, setting_places& places, std::vector<field_problem>& mistakes);

/// As apply_toml(), for the file at `path`, of at most 1 MiB.
void apply_toml_file(
    const std::filesystem::path& path, setting_book& settings, setting_places& places, std::vector<field_problem>& mistakes);

}    // namespace caisson
