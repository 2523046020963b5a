#pragma once

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Maximum nesting of JSON values of skills: input, output, and values checked by a schema.
constexpr std::size_t max_json_depth = 256;

/// The position of byte `offset` in `text`: "line 2, column 7".
std::string json_position(std::string_view text, std::size_t offset);

/// Why a JSON parser stopped with `failure` at `offset` of `text`: "it ends too early", "it is not UTF-8".
std::string json_failure(const boost::system::error_code& failure, std::string_view text, std::size_t offset);

/// Why `text` is not one JSON value in UTF-8, with the position: "syntax error at line 2, column 7". Empty if it is. Builds no value;
/// allows a nesting of max_json_depth.
std::string json_problem(std::string_view text);

/// The text of member `name` of the JSON object `text`, without surrounding blanks. Empty if there is none. `text` must be a valid
/// object.
std::string_view json_member(std::string_view text, std::string_view name);

/// The texts of the elements of the valid JSON array `text`.
std::vector<std::string_view> json_elements(std::string_view text);

}    // namespace caisson
