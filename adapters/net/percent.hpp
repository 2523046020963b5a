#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace caisson::net {

/// 0 to 15; -1 if `c` is not a hexadecimal digit.
int hex_value(char c);

/// Encodes every byte outside RFC 3986's unreserved characters as %XX; usable in path segments and query values.
std::string percent_encode(std::string_view text);

enum class plus_sign { literal, space };

/// Replaces every %XX by its byte; nothing if a '%' is not followed by two hex digits.
std::optional<std::string> percent_decode(std::string_view text, plus_sign plus = plus_sign::literal);

}    // namespace caisson::net
