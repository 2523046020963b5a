#include "core/base/hasher.hpp"

namespace caisson {

std::string to_hex(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    hex.reserve(2 * bytes.size());
    for (const unsigned char each : bytes) {
        hex.push_back(digits[each >> 4]);
        hex.push_back(digits[each & 15u]);
    }
    return hex;
}

}    // namespace caisson
