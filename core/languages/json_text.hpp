#pragma once

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// How deep a value of a skill may be nested: its input, its output, and what is checked by a schema.
constexpr std::size_t max_json_depth = 256;

/// "line 2, column 7": where the byte `offset` of `text` is.
std::string json_position(std::string_view text, std::size_t offset);

/// Why a parser of JSON stopped with `failure` at `offset` of `text`: "it ends too early", "it is not UTF-8".
std::string json_failure(const boost::system::error_code& failure, std::string_view text, std::size_t offset);

/// What is wrong with `text` as one JSON value in UTF-8, with its place: "syntax error at line 2, column 7". Empty if nothing is.
/// Builds nothing; values may be nested max_json_depth deep.
std::string json_problem(std::string_view text);

/// The member `name` of the JSON object `text`, as it stands there, without the space around it. Empty if there is none.
/// `text` was found to be a valid object before.
std::string_view json_member(std::string_view text, std::string_view name);

/// The elements of the JSON array `text`, likewise.
std::vector<std::string_view> json_elements(std::string_view text);

}    // namespace caisson
