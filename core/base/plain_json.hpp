#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace caisson {

/// A number as people write it: the shortest digits that read back as `number`, as ECMA-262 has it (Number::toString; RFC 8785 §3.2.2.3).
/// 0.1 is "0.1", 100 is "100", 1e21 is "1e+21". Not for infinity and NaN, which JSON has not.
std::string plain_number(double number);

/// `value` as compact JSON with plain numbers; members in their order. Stops once the text is longer than `limit` bytes, wherever that is.
std::string plain_json(const boost::json::value& value, std::size_t limit = std::numeric_limits<std::size_t>::max());

}    // namespace caisson
