#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caisson {

/// True if `bytes` is well-formed UTF-8 (RFC 3629: no overlong forms, surrogates or values above U+10FFFF).
bool is_utf8(std::string_view bytes);

/// How many bytes at the end of `bytes` begin a character that is not complete yet: 0 to 3. Bytes that can never become
/// a character count as 0.
std::size_t incomplete_utf8_tail(std::string_view bytes);

/// `bytes` with each maximal ill-formed part replaced by U+FFFD.
std::string to_valid_utf8(std::string_view bytes);

}    // namespace caisson
