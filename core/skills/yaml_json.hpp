#pragma once

#include "core/skills/ports.hpp"

#include <boost/json/value.hpp>

namespace caisson {

/// Converts a YAML value to JSON. Unquoted scalars are typed as in YAML 1.2 (true, 12, 0x1f, 1.5e3, null); all others are strings.
boost::json::value json_of(const yaml_value& value);

}    // namespace caisson
