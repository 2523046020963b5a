#include "core/threads/json_string.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace caisson {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

constexpr bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

/// True if any of the eight bytes needs an escape.
bool any_needs_escape(std::uint64_t word)
{
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t highs = 0x8080808080808080;
    const auto has_zero = [](std::uint64_t bytes) { return (bytes - ones) & ~bytes & highs; };
    const auto has_below_space = (word - 0x20 * ones) & ~word & highs;
    return (has_below_space | has_zero(word ^ ('"' * ones)) | has_zero(word ^ ('\\' * ones))) != 0;
}

/// The number of leading bytes that need no escape.
std::size_t plain_run(std::string_view text)
{
    std::size_t at = 0;
    for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if (any_needs_escape(word))
            break;
    }
    while (at < text.size() && !needs_escape(text[at]))
        ++at;
    return at;
}

/// The letter of a two-character escape, 0 if `c` has none.
char short_escape(char c)
{
    switch (c) {
    case '"': return '"';
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return '\0';
    }
}

char meaning_of_escape(char letter)
{
    switch (letter) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return letter;
    }
}

void append_escape(std::string& to, char c)
{
    const auto byte = static_cast<unsigned char>(c);
    to += '\\';
    if (const char letter = short_escape(c); letter != '\0')
        to += letter;
    else
        to.append("u00").append(1, hex_digits[byte >> 4]).append(1, hex_digits[byte & 15u]);
}

std::string_view inside(std::string_view quoted) { return quoted.size() < 2 ? std::string_view() : quoted.substr(1, quoted.size() - 2); }

bool has_escape(std::string_view text) { return text.find('\\') != std::string_view::npos; }

}    // namespace

bool append_escaped(std::string& to, std::string_view text)
{
    bool any = false;
    for (auto run = plain_run(text);; run = plain_run(text)) {
        to.append(text.substr(0, run));
        if (run == text.size())
            return any;
        append_escape(to, text[run]);
        any = true;
        text.remove_prefix(run + 1);
    }
}

std::string quoted_json(std::string_view text)
{
    std::string quoted = "\"";
    append_escaped(quoted, text);
    return quoted += '"';
}

std::string json_of_texts(const std::vector<std::string>& texts)
{
    std::string list = "[";
    for (const auto& each : texts)
        list.append(list.size() == 1 ? "" : ",").append(quoted_json(each));
    return list + "]";
}

std::string unquoted_json(std::string_view quoted)
{
    std::string text;
    const auto body = inside(quoted);
    for (std::size_t at = 0; at < body.size(); ++at) {
        if (body[at] != '\\' || at + 1 == body.size()) {
            text += body[at];
            continue;
        }
        if (body[++at] != 'u' || body.size() - at < 5) {
            text += meaning_of_escape(body[at]);
            continue;
        }
        text += static_cast<char>((hex_digits.find(body[at + 3]) << 4) | hex_digits.find(body[at + 4]));
        at += 4;
    }
    return text;
}

std::strong_ordering compare_quoted(std::string_view a, std::string_view b)
{
    if (!has_escape(a) && !has_escape(b))
        return inside(a).compare(inside(b)) <=> 0;
    return unquoted_json(a).compare(unquoted_json(b)) <=> 0;
}

}    // namespace caisson
