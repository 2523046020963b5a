#pragma once

#include "app/config/settings.hpp"
#include "core/base/error.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Where each key was set last, for messages: "caisson.toml:3:1", "CAISSON_LISTEN" or "--listen".
using setting_places = std::map<std::string, std::string>;

/// Applies the TOML document `text`, named `name` in messages, to `settings`. Mistakes are added to `mistakes`; after a
/// syntax error nothing is applied.
void apply_toml(
    std::string_view text, const std::string& name, setting_book& settings, setting_places& places, std::vector<field_problem>& mistakes);

/// The same for the file at `path`, of at most 1 MiB.
void apply_toml_file(
    const std::filesystem::path& path, setting_book& settings, setting_places& places, std::vector<field_problem>& mistakes);

}    // namespace caisson
