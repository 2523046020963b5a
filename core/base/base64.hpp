#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// RFC 4648 section 4, with padding.
std::string base64_encode(std::string_view bytes);
/// Strict: nothing if `text` has a character outside the alphabet, wrong padding or non-zero spare bits.
std::optional<std::string> base64_decode(std::string_view text);

/// RFC 4648 section 5 (URL and file name safe), without padding.
std::string base64url_encode(std::string_view bytes);
std::optional<std::string> base64url_decode(std::string_view text);

}    // namespace caisson
