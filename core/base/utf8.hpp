#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caisson {

/// True if `bytes` is well-formed UTF-8 (RFC 3629: no overlong forms, surrogates or values above U+10FFFF).
bool is_utf8(std::string_view bytes);

/// The length of an incomplete character at the end of `bytes`: 0 to 3. 0 also if the last bytes can never become a character.
std::size_t incomplete_utf8_tail(std::string_view bytes);

/// `bytes` with each maximal ill-formed part replaced by U+FFFD.
std::string to_valid_utf8(std::string_view bytes);

}    // namespace caisson
