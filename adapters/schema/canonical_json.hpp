#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace caisson {

/// The same text for equal values, as JSON Schema counts equality: 1 and 1.0 are equal, members have no order.
std::string canonical_json(const boost::json::value& value);

}    // namespace caisson
