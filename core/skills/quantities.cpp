#include "core/skills/quantities.hpp"

#include "core/skills/digits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace caisson {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t nanos_per_second = 1'000'000'000;
constexpr std::int64_t min_cpu_milli = 10;    // 1,000 of 100,000 µs, the minimum quota of control groups

/// Units of a duration in nanoseconds. Names are compared as a whole, so their order does not matter.
constexpr std::pair<std::string_view, std::int64_t> duration_units[] = {
    {"ns", 1},
    {"us", 1'000},
    {"µs", 1'000},    // U+00B5
    {"μs", 1'000},    // U+03BC
    {"ms", 1'000'000},
    {"s", nanos_per_second},
    {"m", 60 * nanos_per_second},
    {"h", 3'600 * nanos_per_second},
};
constexpr std::pair<std::string_view, int> memory_units[] = {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}};

bool all_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

std::string_view take_digits(std::string_view& text)
{
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
    const auto digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

/// Nullopt if `digits` is not a number or too large.
std::optional<std::int64_t> number_of(std::string_view digits)
{
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || !all_digits(digits) || problem != std::errc{} || end != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

error wrong(std::string message) { return {errc::bad_request, std::move(message)}; }
std::string quoted(std::string_view text) { return "\"" + std::string(text.substr(0, 100)) + "\""; }

/// The digits after a decimal point, times `unit`; rounded down.
std::int64_t fraction_of(std::string_view fraction, std::int64_t unit)
{
    std::int64_t value = 0;
    for (const char digit : fraction) {
        unit /= 10;
        value += (digit - '0') * unit;
    }
    return value;
}

/// Removes one number with its unit from `rest`. Returns nanoseconds. The messages are Go's.
result<std::int64_t> take_duration_part(std::string_view& rest, std::string_view whole)
{
    const auto digits = take_digits(rest);
    std::string_view fraction;
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        fraction = take_digits(rest);
    }
    if (digits.empty() && fraction.empty())
        return wrong("time: invalid duration " + quoted(whole));
    const auto name_end = std::min(rest.size(), rest.find_first_of(".0123456789"));
    const auto name = rest.substr(0, name_end);
    if (name.empty())
        return wrong("time: missing unit in duration " + quoted(whole));
    rest.remove_prefix(name_end);
    const auto* unit = std::ranges::find(duration_units, name, [](const auto& each) { return each.first; });
    if (unit == std::end(duration_units))
        return wrong("time: unknown unit " + quoted(name) + " in duration " + quoted(whole));
    const auto count = digits.empty() ? 0 : number_of(digits);
    const auto rest_of_unit = fraction_of(fraction, unit->second);
    if (!count || *count > (most - rest_of_unit) / unit->second)
        return wrong("time: invalid duration " + quoted(whole));
    return *count * unit->second + rest_of_unit;
}

/// `value` / `unit` as a decimal without trailing zeros; both are in nanoseconds.
std::string decimal(std::int64_t value, std::int64_t unit)
{
    auto text = std::to_string(value / unit);
    auto rest = value % unit;
    if (rest == 0)
        return text;
    text += '.';
    for (auto place = unit / 10; rest > 0; place /= 10) {
        text += static_cast<char>('0' + rest / place);
        rest %= place;
    }
    return text;
}

std::string below_a_second(std::int64_t value)
{
    if (value < 1'000)
        return std::to_string(value) + "ns";
    return value < 1'000'000 ? decimal(value, 1'000) + "µs" : decimal(value, 1'000'000) + "ms";
}

}    // namespace

result<std::int64_t> parse_memory(std::string_view text)
{
    int shift = 0;
    auto digits = text;
    for (const auto& [name, bits] : memory_units) {
        if (text.ends_with(name)) {
            shift = bits;
            digits.remove_suffix(name.size());
        }
    }
    const auto count = number_of(digits);
    if (digits.empty() || !all_digits(digits))
        return wrong("memory " + quoted(text) + " must be a whole number of bytes, or one with Ki, Mi or Gi");
    if (count == 0)
        return wrong("memory " + quoted(text) + " must be greater than 0");
    if (!count || *count > most >> shift)
        return wrong("memory " + quoted(text) + " is too large");
    return *count << shift;
}

std::string memory_text(std::int64_t bytes)
{
    std::string text = std::to_string(bytes);
    for (const auto& [name, bits] : memory_units)
        if (bytes != 0 && bytes % (std::int64_t{1} << bits) == 0)
            text = std::to_string(bytes >> bits) + std::string(name);
    return text;
}

result<std::int64_t> parse_cpu_milli(std::string_view text)
{
    auto rest = text;
    const auto whole = take_digits(rest);
    const bool point = rest.starts_with('.');
    if (point)
        rest.remove_prefix(1);
    const auto fraction = take_digits(rest);
    const auto count = whole.empty() ? 0 : number_of(whole);
    if (!rest.empty() || (whole.empty() && fraction.empty()))
        return wrong("cpu " + quoted(text) + " must be a decimal number of processors such as \"0.5\" or \"2\"");
    if (!count || *count > 1'000'000)
        return wrong("cpu " + quoted(text) + " is too large");
    const auto micro = *count * 1'000'000 + fraction_of(fraction.substr(0, 6), 1'000'000);
    if (micro == 0 && fraction.find_first_not_of('0') == std::string_view::npos)
        return wrong("cpu " + quoted(text) + " must be greater than 0");
    return std::max(min_cpu_milli, (micro + 500) / 1'000);
}

result<std::chrono::nanoseconds> parse_duration(std::string_view text)
{
    auto rest = text;
    const bool negative = rest.starts_with('-');
    if (negative || rest.starts_with('+'))
        rest.remove_prefix(1);
    if (rest == "0")
        return std::chrono::nanoseconds(0);
    if (rest.empty())
        return wrong("time: invalid duration " + quoted(text));
    std::int64_t sum = 0;
    while (!rest.empty()) {
        const auto part = take_duration_part(rest, text);
        if (part.has_error())
            return part.error();
        if (*part > most - sum)
            return wrong("time: invalid duration " + quoted(text));
        sum += *part;
    }
    return std::chrono::nanoseconds(negative ? -sum : sum);
}

std::string duration_text(std::chrono::nanoseconds duration)
{
    const auto value = duration.count();
    if (value == 0)
        return "0s";
    if (value < 0)
        return "-" + duration_text(std::chrono::nanoseconds(value == -most - 1 ? most : -value));
    if (value < nanos_per_second)
        return below_a_second(value);
    const auto minutes = value / (60 * nanos_per_second);
    auto text = decimal(value % (60 * nanos_per_second), nanos_per_second) + "s";
    if (minutes > 0)
        text = std::to_string(minutes % 60) + "m" + text;
    if (minutes >= 60)
        text = std::to_string(minutes / 60) + "h" + text;
    return text;
}

}    // namespace caisson
