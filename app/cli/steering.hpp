#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caisson::cli {

/// Bytes of the first character of `text` (valid UTF-8) if it could control the terminal (control characters), change the direction of the
/// text or break lines (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069); else 0.
std::size_t steering_bytes(std::string_view text);

/// `json` for a terminal: such characters are escaped, except for white space between values. The value stays the same.
std::string json_for_terminal(std::string_view json);

}    // namespace caisson::cli
