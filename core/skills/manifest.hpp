#pragma once

#include "core/skills/package_rules.hpp"

namespace caisson {

/// The manifest is valid only without mistakes.
struct read_manifest_result {
    skill_manifest manifest;
    std::vector<std::string> mistakes;    // in the order of the documentation
    std::vector<std::string> notes;
};

/// Reads the front matter `root`, a map. Does not read the instructions or look at the package's files: `entrypoint` is not checked,
/// and `lang` and `mode` may be empty. A skill without a version, such as one in the Agent Skills format, gets 0.0.0.
read_manifest_result read_manifest(const yaml_value& root, const package_rules& rules);

}    // namespace caisson
