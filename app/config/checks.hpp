#pragma once

#include "app/config/settings.hpp"
#include "app/config/toml_source.hpp"

namespace caisson {

/// What no single value shows: ranges in order, runtimes that are known and switched on by the right name. Fills in
/// `runtimes` and `default_runtime` of the config.
void check_config(draft_config& draft, const setting_places& places, std::vector<field_problem>& mistakes);

}    // namespace caisson
