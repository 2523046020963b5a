#pragma once

#include <string_view>
#include <vector>

namespace caisson {

/// The words and single-character operators of Java source, as parts of `code`. Skips blanks and comments. A string, text block or
/// character literal is one token, `"`. Does not decode Unicode escapes outside of strings (JLS 3.3).
std::vector<std::string_view> java_tokens(std::string_view code);

/// Whether a token is an identifier, a keyword or a number.
bool is_java_word(std::string_view token);

}    // namespace caisson
