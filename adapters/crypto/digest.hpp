#pragma once

#include <string>
#include <string_view>

namespace caisson {

/// SHA-256 in lower-case hex.
std::string sha256_hex(std::string_view bytes);

/// MD5 in lower-case hex: only to recognise files listed by package managers, not for protection.
std::string md5_hex(std::string_view bytes);

/// HMAC-SHA-256, 32 raw bytes.
std::string hmac_sha256(std::string_view key, std::string_view bytes);

/// Comparison time depends on the lengths only.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}    // namespace caisson
