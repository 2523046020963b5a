#include "core/base/base64.hpp"

#include <array>
#include <cstdint>

namespace caisson {

namespace {

constexpr std::string_view standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t invalid = 0xff;

constexpr std::array<std::uint8_t, 256> inverse(std::string_view alphabet)
{
    std::array<std::uint8_t, 256> table{};
    table.fill(invalid);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    return table;
}
constexpr auto standard_inverse = inverse(standard);
constexpr auto url_safe_inverse = inverse(url_safe);

/// The digits only, without padding.
std::string encode(std::string_view bytes, std::string_view alphabet)
{
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    std::uint32_t buffer = 0;
    int bits = 0;
    for (unsigned char byte : bytes) {
        buffer = buffer << 8 | byte;
        for (bits += 8; bits >= 6;) {
            bits -= 6;
            out.push_back(alphabet[buffer >> bits & 63u]);
        }
    }
    if (bits > 0)
        out.push_back(alphabet[buffer << (6 - bits) & 63u]);
    return out;
}

std::optional<std::string> decode(std::string_view digits, const std::array<std::uint8_t, 256>& table)
{
    if (digits.size() % 4 == 1)
        return std::nullopt;
    std::string out;
    out.reserve(digits.size() / 4 * 3 + 2);
    std::uint32_t buffer = 0;
    int bits = 0;
    for (unsigned char c : digits) {
        const auto value = table[c];
        if (value == invalid)
            return std::nullopt;
        buffer = buffer << 6 | value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out.push_back(static_cast<char>(buffer >> bits));
        }
    }
    if ((buffer & ((1u << bits) - 1)) != 0)
        return std::nullopt;
    return out;
}

}    // namespace

std::string base64_encode(std::string_view bytes)
{
    auto out = encode(bytes, standard);
    out.append((4 - out.size() % 4) % 4, '=');
    return out;
}

std::optional<std::string> base64_decode(std::string_view text)
{
    if (text.size() % 4 != 0)
        return std::nullopt;
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding)
        text.remove_suffix(1);
    return decode(text, standard_inverse);
}

std::string base64url_encode(std::string_view bytes) { return encode(bytes, url_safe); }

std::optional<std::string> base64url_decode(std::string_view text) { return decode(text, url_safe_inverse); }

}    // namespace caisson
