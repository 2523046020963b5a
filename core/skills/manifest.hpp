#pragma once

#include "core/skills/package_rules.hpp"

namespace caisson {

/// What is read from a front matter, good or not.
struct read_manifest_result {
    skill_manifest manifest;
    std::vector<std::string> mistakes;    // in the order of the reference
    std::vector<std::string> notes;
};

/// Reads the front matter `root`, a map. Neither the instructions nor what has to do with the package's files: `entrypoint` is as
/// said, and `lang` and `mode` may be missing. A skill that says no version, as those of the Agent Skills format, is 0.0.0.
read_manifest_result read_manifest(const yaml_value& root, const package_rules& rules);

}    // namespace caisson
