#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>

namespace caisson {

/// The whole number that `value` is: JSON has one kind of number, so that 3, 3.0 and 3e0 are the same (RFC 8259 §6). Nothing if it is no
/// number, has a fraction, or lies beyond 64 bits with a sign.
std::optional<std::int64_t> whole_number(const boost::json::value& value);

}    // namespace caisson
