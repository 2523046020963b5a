#pragma once

#include "core/skills/ports.hpp"

namespace caisson {

/// The schema_check of core/skills/ports.hpp: JSON Schema draft 7.
result<std::vector<std::string>> check_json_schema(std::string_view schema, std::string_view json);

}    // namespace caisson
