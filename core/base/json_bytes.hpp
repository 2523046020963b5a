#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace caisson {

/// Bytes as a JSON value: text as it is, what is not UTF-8 as {"base64": …}.
boost::json::value bytes_to_json(std::string_view bytes);

/// What bytes_to_json() made. Throws std::exception on anything else.
std::string bytes_from_json(const boost::json::value& value);

}    // namespace caisson
