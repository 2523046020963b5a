#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caisson::cli {

/// How many bytes the character takes that valid UTF-8 `text` begins with, if it could steer a terminal (control characters) or turn
/// the direction or break the lines of what is shown (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069); 0: it could not.
std::size_t steering_bytes(std::string_view text);

/// `json` for a terminal: such characters as escapes, but for white space between values. It means the same.
std::string json_for_terminal(std::string_view json);

}    // namespace caisson::cli
