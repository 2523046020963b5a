#include "app/wire/json_writer.hpp"

#include "core/base/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace caisson::wire {

namespace {

constexpr std::uint64_t ones = 0x0101010101010101;
constexpr std::uint64_t highs = 0x8080808080808080;

/// The high bit of each byte of `word` that is below `limit` (at most 0x80); exact up to the first such byte.
constexpr std::uint64_t below(std::uint64_t word, std::uint64_t limit) { return (word - ones * limit) & ~word & highs; }

/// The number of leading bytes of `text` that need no escape.
std::size_t plain_length(std::string_view text)
{
    static_assert(std::endian::native == std::endian::little);
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, 8);
        const auto special = below(word, 0x20) | below(word ^ (ones * '"'), 1) | below(word ^ (ones * '\\'), 1);
        if (special != 0)
            return at + static_cast<std::size_t>(std::countr_zero(special)) / 8;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x20 && text[at] != '"' && text[at] != '\\')
        ++at;
    return at;
}

void append_escaped(std::string& out, char c)
{
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    out += "\\u00";
    out += digits[byte >> 4];
    out += digits[byte & 15];
}

template <std::size_t Digits, class Number, class... Format>
void append_number(std::string& out, Number number, Format... format)
{
    std::array<char, Digits> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, format...).ptr;
    out.append(digits.data(), end);
}

constexpr std::size_t integer_digits = 20;     // with a sign
constexpr std::size_t decimal_digits = 400;    // a double in fixed form has up to 309 digits before the point
constexpr double most_by_thousandths = 1e12;

/// Formats with integers, ten times as fast as with doubles; mostly for durations.
void append_thousandths(std::string& out, std::int64_t thousandths)
{
    if (thousandths < 0)
        out += '-';
    const auto size = thousandths < 0 ? -thousandths : thousandths;
    append_number<integer_digits>(out, size / 1000);
    const auto rest = static_cast<int>(size % 1000);
    if (rest == 0)
        return;
    const char places[] = {
        '.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10), static_cast<char>('0' + rest % 10)};
    out.append(places, sizeof places);
    out.resize(out.find_last_not_of('0') + 1);
}

}    // namespace

void append_json_string(std::string& out, std::string_view text)
{
    out += '"';
    while (!text.empty()) {
        const auto plain = plain_length(text);
        out.append(text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty())
            break;
        append_escaped(out, text.front());
        text.remove_prefix(1);
    }
    out += '"';
}

void json_writer::separate()
{
    if (!out_.empty() && std::string_view("{[:").find(out_.back()) == std::string_view::npos)
        out_ += ',';
}

json_writer& json_writer::open(char bracket)
{
    separate();
    out_ += bracket;
    return *this;
}

json_writer& json_writer::close(char bracket)
{
    out_ += bracket;
    return *this;
}

json_writer& json_writer::key(std::string_view name)
{
    separate();
    append_json_string(out_, name);
    out_ += ':';
    return *this;
}

json_writer& json_writer::text(std::string_view value)
{
    separate();
    append_json_string(out_, value);
    return *this;
}

json_writer& json_writer::integer(std::int64_t value)
{
    separate();
    append_number<integer_digits>(out_, value);
    return *this;
}

json_writer& json_writer::unsigned_integer(std::uint64_t value)
{
    separate();
    append_number<integer_digits>(out_, value);
    return *this;
}

json_writer& json_writer::decimal(double value)
{
    if (!std::isfinite(value))
        return null();
    separate();
    if (std::abs(value) < most_by_thousandths) {
        append_thousandths(out_, std::llround(value * 1000));
        return *this;
    }
    const auto begin = out_.size();
    append_number<decimal_digits>(out_, value, std::chars_format::fixed, 3);
    out_.resize(out_.find_last_not_of('0') + 1);
    if (out_.back() == '.')
        out_.pop_back();
    if (std::string_view(out_).substr(begin) == "-0")
        out_.erase(begin, 1);
    return *this;
}

json_writer& json_writer::raw(std::string_view json)
{
    separate();
    out_.append(json);
    return *this;
}

json_writer& json_writer::value(const boost::json::value& value)
{
    switch (value.kind()) {
    case boost::json::kind::null: return null();
    case boost::json::kind::bool_: return boolean(value.get_bool());
    case boost::json::kind::int64: return integer(value.get_int64());
    case boost::json::kind::uint64: return unsigned_integer(value.get_uint64());
    case boost::json::kind::double_: return decimal(value.get_double());
    case boost::json::kind::string: return text(value.get_string());
    case boost::json::kind::array: {
        begin_array();
        for (const auto& item : value.get_array())
            this->value(item);
        return end_array();
    }
    case boost::json::kind::object: {
        begin_object();
        for (const auto& member : value.get_object())
            key(member.key()).value(member.value());
        return end_object();
    }
    }
    return *this;
}

void write_texts(json_writer& out, std::string_view name, std::span<const std::string> values)
{
    out.key(name).begin_array();
    for (const auto& each : values)
        out.text(to_valid_utf8(each));
    out.end_array();
}

}    // namespace caisson::wire
