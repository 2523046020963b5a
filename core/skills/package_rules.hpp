#pragma once

#include "core/base/config.hpp"
#include "core/skills/ports.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Whether a skill can run in an allowed image on its runtime. Both members are empty if it can.
struct image_verdict {
    std::string mistake;    // the skill cannot run in this image on any such server
    std::string note;       // this server lacks something that can be added
};

/// The limits that this server sets to skills, and the parsers for packages.
struct package_rules {
    limit_range wall_ms{100, 120'000, 600'000};
    limit_range memory_bytes{16LL << 20, 256LL << 20, 16LL << 30};
    limit_range cpu_milli{10, 500, 64'000};
    std::optional<std::vector<std::string>> images;    // exact names; empty: none is allowed; nullopt: not checked
    std::function<image_verdict(const skill_manifest&, std::string_view image)> judge_image = {};    // empty: not checked
    std::vector<std::string> runtimes;    // allowed values of `runtime`; empty: any
    yaml_reader read_yaml = nullptr;
    schema_check check_schema = nullptr;
};

struct checked_package {
    skill_manifest manifest;
    std::vector<std::string> notes;    // warnings, as sentences: unknown keys for example
};

/// All findings on a package. The manifest is usable only if there are no mistakes.
struct package_verdict {
    skill_manifest manifest;
    std::vector<std::string> mistakes;    // sentences
    std::vector<std::string> notes;       // as in checked_package
};
package_verdict judge_package(const package_index& index, const package_rules& rules);

/// Judges a package as a whole. Errors: errc::invalid_skill with all mistakes, "invalid skill: one; two".
result<checked_package> check_package(const package_index& index, const package_rules& rules);

/// Errors: errc::image_not_allowed; the documentation lists the messages.
result<void> check_image(std::string_view image, std::span<const std::string> allowed);

/// The image for a skill that names none: "python:3.12-slim" for python. Empty for an unknown language.
std::string_view default_image(std::string_view lang);

}    // namespace caisson
