#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace caisson {

/// Serializes so that values equal by JSON Schema give equal texts: 1 and 1.0 are equal, members have no order.
std::string canonical_json(const boost::json::value& value);

}    // namespace caisson
