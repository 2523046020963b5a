#include "app/cli/limit_flags.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace caisson::cli {

namespace {

using unit = std::pair<std::int64_t, std::string_view>;

/// `value` in the largest unit without a remainder.
std::string in_units(std::int64_t value, std::initializer_list<unit> largest_first)
{
    for (const auto& [size, name] : largest_first)
        if (value % size == 0)
            return std::to_string(value / size) + std::string(name);
    return std::to_string(value);
}

std::string time_of(std::int64_t ms) { return in_units(ms, {{3'600'000, "h"}, {60'000, "m"}, {1'000, "s"}, {1, "ms"}}); }

std::string size_in_units(std::int64_t bytes) { return in_units(bytes, {{1 << 30, "Gi"}, {1 << 20, "Mi"}, {1 << 10, "Ki"}}); }

std::optional<std::int64_t> take_whole_number(std::string_view& text)
{
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || value <= 0)
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

struct named_limit {
    std::string_view field;
    std::string_view flag;
    std::string (*show)(std::int64_t);
};
constexpr std::array<named_limit, 3> whole_limits{{{"limits.wall_ms must be a whole number between ", "--timeout", &time_of},
    {"limits.memory_bytes must be a whole number between ", "--memory", &size_in_units},
    {"limits.stack_bytes must be a whole number between ", "--stack", &size_in_units}}};

void replace_whole(std::string& message, const named_limit& limit)
{
    const auto begin = message.find(limit.field);
    if (begin == std::string::npos)
        return;
    std::string_view rest = std::string_view(message).substr(begin + limit.field.size());
    const auto least = take_whole_number(rest);
    if (!least || !rest.starts_with(" and "))
        return;
    rest.remove_prefix(5);
    const auto most = take_whole_number(rest);
    if (!most)
        return;
    message = message.substr(0, begin) + std::string(limit.flag) + " must be between " + limit.show(*least) + " and " + limit.show(*most) +
              std::string(rest);
}

}    // namespace

std::string in_flags(std::string message)
{
    for (const auto& limit : whole_limits)
        replace_whole(message, limit);
    constexpr std::string_view cpus = "limits.cpus must be a number between ";
    if (const auto at = message.find(cpus); at != std::string::npos)
        message.replace(at, cpus.size(), "--cpus must be a number of cores between ");
    return message;
}

}    // namespace caisson::cli
