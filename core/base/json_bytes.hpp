#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace caisson {

/// `bytes` as a JSON value: a string if they are UTF-8, else {"base64": …}.
boost::json::value bytes_to_json(std::string_view bytes);

/// Reverses bytes_to_json(). Throws std::exception if `value` has another form.
std::string bytes_from_json(const boost::json::value& value);

}    // namespace caisson
