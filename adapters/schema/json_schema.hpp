#pragma once

#include "adapters/schema/step_budget.hpp"
#include "core/skills/ports.hpp"

namespace caisson {

/// The schema_check of core/skills/ports.hpp: JSON Schema draft 7. A check is at most a second of work (step_budget).
result<std::vector<field_problem>> check_json_schema(std::string_view schema, std::string_view json);

/// Likewise, with an explicit budget.
result<std::vector<field_problem>> check_json_schema(std::string_view schema, std::string_view json, step_budget& budget);

}    // namespace caisson
