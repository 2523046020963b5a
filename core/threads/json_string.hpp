#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// Adds `text` (UTF-8) to `to` as it stands within a canonical JSON string: \" \\ \b \f \n \r \t and \u00xx for what cannot stand
/// as it is, in lower case; nothing else is escaped. True if anything was.
bool append_escaped(std::string& to, std::string_view text);

/// `text` as a canonical JSON string, with its quotes.
std::string quoted_json(std::string_view text);

/// The same of a list of texts.
std::string json_of_texts(const std::vector<std::string>& texts);

/// What a canonical JSON string, with its quotes, stands for.
std::string unquoted_json(std::string_view quoted);

/// Orders canonical JSON strings, with their quotes, by the bytes that they stand for.
std::strong_ordering compare_quoted(std::string_view a, std::string_view b);

}    // namespace caisson
