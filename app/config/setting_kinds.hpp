#pragma once

#include "app/config/settings.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace caisson {

// Factories of settings, one for each kind of value. A setting reads and writes its target, which must outlive it.

setting integer(std::string key, std::int64_t& target, std::int64_t min, std::int64_t max, std::string about);
setting boolean(std::string key, bool& target, std::string about);
/// A path; apply() makes it absolute.
setting path(std::string key, std::filesystem::path& target, std::string about);
setting text(std::string key, std::string& target, std::string about);
setting text_list(std::string key, std::vector<std::string>& target, std::string about);
/// Names of Python modules.
setting module_list(std::string key, std::vector<std::string>& target, std::string about);

/// An enumeration with named values.
template <class Enum>
setting choice(std::string key, Enum& target, std::vector<std::pair<std::string, Enum>> choices, std::string about)
{
    auto apply = [&target, choices](const setting_value& value) -> std::optional<std::string> {
        std::string names;
        for (const auto& [name, meaning] : choices) {
            if (std::get<std::string>(value) == name) {
                target = meaning;
                return std::nullopt;
            }
            names += (names.empty() ? "" : ", ") + name;
        }
        return "must be one of " + names;
    };
    auto shown = [&target, choices] {
        for (const auto& [name, meaning] : choices)
            if (meaning == target)
                return name;
        return std::string();
    };
    return {std::move(key), setting_kind::text, std::move(about), std::move(apply), std::move(shown)};
}

}    // namespace caisson
