#pragma once

#include "app/config/settings.hpp"
#include "app/config/toml_source.hpp"

namespace caisson {

/// Checks settings against each other, such as the order of ranges, and runtimes against those that exist and are allowed. Sets `runtimes`
/// and `default_runtime` of the config.
void check_config(draft_config& draft, const setting_places& places, std::vector<field_problem>& mistakes);

}    // namespace caisson
