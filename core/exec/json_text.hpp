#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// What is wrong with `text` as one JSON value in UTF-8, with its place: "syntax error at line 2, column 7". Empty if nothing is.
/// Builds nothing; values may be nested 256 deep.
std::string json_problem(std::string_view text);

/// The member `name` of the JSON object `text`, as it stands there, without the space around it. Empty if there is none.
/// `text` was found to be a valid object before.
std::string_view json_member(std::string_view text, std::string_view name);

/// The elements of the JSON array `text`, likewise.
std::vector<std::string_view> json_elements(std::string_view text);

}    // namespace caisson
