#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>

namespace caisson {

/// The integer that `value` holds: JSON has one number type, so 3, 3.0 and 3e0 are equal (RFC 8259 §6). Nothing if `value` is not a
/// number, has a fraction, or does not fit in a signed 64-bit integer.
std::optional<std::int64_t> whole_number(const boost::json::value& value);

}    // namespace caisson
