#include "core/base/clock.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace caisson {

namespace {

/// Reads `width` digits at the front of `text` and drops them.
std::optional<int> take_digits(std::string_view& text, std::size_t width)
{
    if (text.size() < width)
        return std::nullopt;
    int value = 0;
    for (char c : text.substr(0, width)) {
        if (c < '0' || c > '9')
            return std::nullopt;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(width);
    return value;
}

bool take(std::string_view& text, char wanted)
{
    if (text.empty() || text.front() != wanted)
        return false;
    text.remove_prefix(1);
    return true;
}

/// The fraction of a second in milliseconds; further digits are dropped.
std::optional<int> take_fraction_ms(std::string_view& text)
{
    if (!take(text, '.'))
        return 0;
    int ms = 0;
    int digits = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++digits)
        if (digits < 3)
            ms = ms * 10 + (text.front() - '0');
    if (digits == 0)
        return std::nullopt;
    for (; digits < 3; ++digits)
        ms *= 10;
    return ms;
}

/// Appends `value` with leading zeros, then `then`.
void append_padded(std::string& out, int value, std::size_t width, char then)
{
    std::array<char, 12> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const auto size = static_cast<std::size_t>(end - digits.data());
    out.append(width - std::min(width, size), '0');
    out.append(digits.data(), size);
    out += then;
}

std::optional<int> take_offset_minutes(std::string_view& text)
{
    if (take(text, 'Z') || take(text, 'z'))
        return 0;
    int sign = take(text, '-') ? -1 : take(text, '+') ? 1 : 0;
    auto hours = take_digits(text, 2);
    if (sign == 0 || !hours || !take(text, ':'))
        return std::nullopt;
    auto minutes = take_digits(text, 2);
    if (!minutes || *hours > 23 || *minutes > 59)
        return std::nullopt;
    return sign * (*hours * 60 + *minutes);
}

}    // namespace

std::int64_t system_clock::now_ms() const
{
    using namespace std::chrono;
    return duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string to_rfc3339(std::int64_t unix_ms)
{
    using namespace std::chrono;
    const sys_time<milliseconds> at{milliseconds(unix_ms)};
    const auto day = floor<days>(at);
    const year_month_day date(day);
    const hh_mm_ss time(at - day);
    std::string out;
    out.reserve(sizeof "2026-01-01T00:00:00.000Z");
    append_padded(out, static_cast<int>(date.year()), 4, '-');
    append_padded(out, static_cast<int>(static_cast<unsigned>(date.month())), 2, '-');
    append_padded(out, static_cast<int>(static_cast<unsigned>(date.day())), 2, 'T');
    append_padded(out, static_cast<int>(time.hours().count()), 2, ':');
    append_padded(out, static_cast<int>(time.minutes().count()), 2, ':');
    append_padded(out, static_cast<int>(time.seconds().count()), 2, '.');
    append_padded(out, static_cast<int>(time.subseconds().count()), 3, 'Z');
    return out;
}

std::optional<std::int64_t> from_rfc3339(std::string_view text)
{
    using namespace std::chrono;
    auto y = take_digits(text, 4);
    if (!y || !take(text, '-'))
        return std::nullopt;
    auto mo = take_digits(text, 2);
    if (!mo || !take(text, '-'))
        return std::nullopt;
    auto d = take_digits(text, 2);
    if (!d || !(take(text, 'T') || take(text, 't')))
        return std::nullopt;
    auto h = take_digits(text, 2);
    if (!h || !take(text, ':'))
        return std::nullopt;
    auto mi = take_digits(text, 2);
    if (!mi || !take(text, ':'))
        return std::nullopt;
    auto s = take_digits(text, 2);
    if (!s)
        return std::nullopt;
    auto ms = take_fraction_ms(text);
    if (!ms)
        return std::nullopt;
    auto offset = take_offset_minutes(text);
    const year_month_day date(year(*y), month(static_cast<unsigned>(*mo)), day(static_cast<unsigned>(*d)));
    if (!offset || !text.empty() || !date.ok() || *h > 23 || *mi > 59 || *s > 60)
        return std::nullopt;
    const auto at = sys_days(date) + hours(*h) + minutes(*mi - *offset) + seconds(*s) + milliseconds(*ms);
    return duration_cast<milliseconds>(at.time_since_epoch()).count();
}

}    // namespace caisson
