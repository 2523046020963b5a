#pragma once

#include "core/skills/ports.hpp"

#include <boost/json/value.hpp>

namespace caisson {

/// A YAML value as JSON. Scalars without quotes are what YAML 1.2 takes them for (true, 12, 0x1f, 1.5e3, null), all else is text.
boost::json::value json_of(const yaml_value& value);

}    // namespace caisson
