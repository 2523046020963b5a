#include "app/cli/quantities.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace caisson::cli {

namespace {

constexpr double ten_years_ms = 3'653.0 * 86'400'000.0;
constexpr double most_bytes = 1LL << 50;

/// Takes a non-negative decimal from the start of `text`.
std::optional<double> take_decimal(std::string_view& text)
{
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (failure != std::errc() || !std::isfinite(value) || value < 0)
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<double> unit_in(std::string_view name, std::initializer_list<std::pair<std::string_view, double>> units)
{
    for (const auto& [unit, factor] : units)
        if (unit == name)
            return factor;
    return std::nullopt;
}

std::optional<std::int64_t> whole(double value, double most)
{
    const double rounded = std::round(value);
    if (rounded < 1 || rounded > most)
        return std::nullopt;
    return static_cast<std::int64_t>(rounded);
}

std::string with_one_decimal(double value, std::string_view unit)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), value < 10 && value != std::floor(value) ? "%.1f" : "%.0f", value);
    return std::string(text.data()) + " " + std::string(unit);
}

std::string two_units(std::int64_t big, std::string_view big_name, std::int64_t small, std::string_view small_name)
{
    auto text = std::to_string(big) + " " + std::string(big_name);
    if (small > 0)
        text += " " + std::to_string(small) + " " + std::string(small_name);
    return text;
}

}    // namespace

std::optional<std::int64_t> parse_duration_ms(std::string_view text)
{
    const auto number = take_decimal(text);
    const auto unit = unit_in(text, {{"", 1'000}, {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}});
    if (!number || !unit)
        return std::nullopt;
    return whole(*number * *unit, ten_years_ms);
}

std::optional<std::int64_t> parse_bytes(std::string_view text)
{
    const auto number = take_decimal(text);
    if (text.size() > 1 && text.ends_with('B'))
        text.remove_suffix(1);
    const auto unit = unit_in(text, {{"", 1}, {"B", 1}, {"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}});
    if (!number || !unit)
        return std::nullopt;
    return whole(*number * *unit, most_bytes);
}

std::optional<double> parse_cpus(std::string_view text)
{
    const auto number = take_decimal(text);
    if (!number || !text.empty() || *number <= 0 || *number > 1'024)
        return std::nullopt;
    return number;
}

std::string show_duration(std::int64_t ms)
{
    if (ms < 1'000)
        return std::to_string(ms) + " ms";
    const auto seconds = ms / 1'000;
    if (seconds < 60)
        return with_one_decimal(static_cast<double>(ms) / 1'000, "s");
    if (seconds < 3'600)
        return two_units(seconds / 60, "min", seconds % 60, "s");
    if (seconds < 86'400)
        return two_units(seconds / 3'600, "h", seconds % 3'600 / 60, "min");
    return two_units(seconds / 86'400, "d", seconds % 86'400 / 3'600, "h");
}

std::string show_bytes(std::int64_t bytes)
{
    constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1'024 && unit + 1 < units.size()) {
        value /= 1'024;
        ++unit;
    }
    return with_one_decimal(value, units[unit]);
}

}    // namespace caisson::cli
