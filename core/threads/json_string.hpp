#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Appends `text` (UTF-8) to `to` with the escapes of a canonical JSON string: \" \\ \b \f \n \r \t, and lower-case \u00xx for other
/// control characters below U+0020. Returns whether it escaped anything.
bool append_escaped(std::string& to, std::string_view text);

/// `text` as a canonical JSON string, with quotes.
std::string quoted_json(std::string_view text);

/// `texts` as a canonical JSON list of strings.
std::string json_of_texts(const std::vector<std::string>& texts);

/// Decodes a canonical JSON string with quotes.
std::string unquoted_json(std::string_view quoted);

/// Orders canonical JSON strings, with quotes, by their decoded bytes.
std::strong_ordering compare_quoted(std::string_view a, std::string_view b);

}    // namespace caisson
