#pragma once

#include <string_view>
#include <vector>

namespace caisson {

/// The words and the single signs of Java source, in their order, as parts of `code`. Blanks and comments are left out; a string, a
/// text block or a character is one token, `"`. Escapes of Unicode outside of strings (JLS 3.3) are not read.
std::vector<std::string_view> java_tokens(std::string_view code);

/// Whether a token is a name or a word of the language.
bool is_java_word(std::string_view token);

}    // namespace caisson
