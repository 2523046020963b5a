#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace caisson {

/// The shortest text that reads back as `number`, as ECMA-262 formats it (Number::toString; RFC 8785 §3.2.2.3):
/// 0.1 is "0.1", 100 is "100", 1e21 is "1e+21". Not for infinity and NaN, which JSON lacks.
std::string plain_number(double number);

/// `value` as compact JSON with plain_number() numbers and members in their order. Writing stops, in the middle of the document, once the
/// text is longer than `limit` bytes.
std::string plain_json(const boost::json::value& value, std::size_t limit = std::numeric_limits<std::size_t>::max());

}    // namespace caisson
