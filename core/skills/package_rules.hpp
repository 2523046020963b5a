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

/// How a skill fares in an image that is allowed, on the runtime that it gets. Empty: well.
struct image_verdict {
    std::string mistake;    // of the skill: it can run in this image on no server like this one
    std::string note;       // of the server, which lacks something that may come
};

/// What this server lets a skill ask for, and what it reads it with.
struct package_rules {
    limit_range wall_ms{100, 120'000, 600'000};
    limit_range memory_bytes{16LL << 20, 256LL << 20, 16LL << 30};
    limit_range cpu_milli{10, 500, 64'000};
    std::optional<std::vector<std::string>> images;    // exact names; empty: none is allowed; nothing: not looked at
    std::function<image_verdict(const skill_manifest&, std::string_view image)> judge_image = {};    // empty: not looked at
    std::vector<std::string> runtimes;    // names that `runtime` may have; empty: any
    yaml_reader read_yaml = nullptr;
    schema_check check_schema = nullptr;
};

struct checked_package {
    skill_manifest manifest;
    std::vector<std::string> notes;    // what is no mistake but perhaps not meant, as sentences: unknown keys for example
};

/// Everything about a package: what it says is of use only without mistakes.
struct package_verdict {
    skill_manifest manifest;
    std::vector<std::string> mistakes;    // sentences
    std::vector<std::string> notes;       // as of checked_package
};
package_verdict judge_package(const package_index& index, const package_rules& rules);

/// Judges a package as a whole. Errors: errc::invalid_skill with all mistakes, "invalid skill: one; two".
result<checked_package> check_package(const package_index& index, const package_rules& rules);

/// Errors: errc::image_not_allowed with the reference's words.
result<void> check_image(std::string_view image, std::span<const std::string> allowed);

/// The image of a skill that names none: "python:3.12-slim" and so on; empty for a language that is unknown.
std::string_view default_image(std::string_view lang);

}    // namespace caisson
