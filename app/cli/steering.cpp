#include "app/cli/steering.hpp"

namespace caisson::cli {

namespace {

constexpr bool is_between(unsigned value, unsigned first, unsigned last) { return value >= first && value <= last; }

unsigned byte_of(std::string_view text, std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; }

/// The code point of a character of at most three bytes.
unsigned code_point_of(std::string_view character)
{
    const auto tail = [&](std::size_t at) { return byte_of(character, at) & 0x3FU; };
    if (character.size() == 1)
        return byte_of(character, 0);
    return character.size() == 2 ? (byte_of(character, 0) & 0x1FU) << 6U | tail(1)
                                 : (byte_of(character, 0) & 0x0FU) << 12U | tail(1) << 6U | tail(2);
}

std::string escape_of(unsigned code)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "\\u";
    for (const auto shift : {12U, 8U, 4U, 0U})
        text += digits[code >> shift & 0xFU];
    return text;
}

bool is_white_space(char c) { return c == '\n' || c == '\t' || c == '\r'; }

}    // namespace

std::size_t steering_bytes(std::string_view text)
{
    const auto first = byte_of(text, 0);
    const auto second = byte_of(text, 1);
    const auto third = byte_of(text, 2);
    if (text.empty())
        return 0;
    if (first < 0x20U || first == 0x7FU)
        return 1;
    if ((first == 0xC2U && is_between(second, 0x80U, 0x9FU)) || (first == 0xD8U && second == 0x9CU))
        return 2;
    const bool is_mark = first == 0xE2U && second == 0x80U && (is_between(third, 0x8EU, 0x8FU) || is_between(third, 0xA8U, 0xAEU));
    const bool is_isolate = first == 0xE2U && second == 0x81U && is_between(third, 0xA6U, 0xA9U);
    return is_mark || is_isolate ? 3 : 0;
}

std::string json_for_terminal(std::string_view json)
{
    std::string text;
    while (!json.empty()) {
        const auto bytes = is_white_space(json.front()) ? 0 : steering_bytes(json);
        if (bytes == 0)
            text += json.front();
        else
            text += escape_of(code_point_of(json.substr(0, bytes)));
        json.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return text;
}

}    // namespace caisson::cli
