#include "core/log/events.hpp"

#include "core/base/base64.hpp"

#include <array>
#include <charconv>

namespace caisson {

namespace {

constexpr std::size_t longest_cursor = 96;    // "1." and three numbers of 19 digits take 83 when encoded

/// Removes the decimal number at the front of `text` and returns it. Canonical form only: no sign, no leading zeros.
std::optional<std::uint64_t> take_number(std::string_view& text)
{
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (failure != std::errc{} || value > INT64_MAX || (digits > 1 && text.front() == '0'))
        return std::nullopt;
    text.remove_prefix(digits);
    return value;
}

}    // namespace

std::string to_cursor(log_position position)
{
    return base64url_encode(
        "1." + std::to_string(position.control) + '.' + std::to_string(position.stdout_end) + '.' + std::to_string(position.stderr_end));
}

std::optional<log_position> from_cursor(std::string_view cursor)
{
    if (cursor.empty() || cursor == "0")
        return log_position{};
    if (cursor.size() > longest_cursor)
        return std::nullopt;
    const auto text = base64url_decode(cursor);
    if (!text || !text->starts_with('1'))
        return std::nullopt;
    std::string_view rest = std::string_view(*text).substr(1);
    std::array<std::uint64_t, 3> numbers{};
    for (auto& number : numbers) {
        if (!rest.starts_with('.'))
            return std::nullopt;
        rest.remove_prefix(1);
        const auto taken = take_number(rest);
        if (!taken)
            return std::nullopt;
        number = *taken;
    }
    // Each number is below 2^63, so control + out fits into 64 bits; `err` is checked against the rest.
    const auto [control, out, err] = numbers;
    if (!rest.empty() || control + out > INT64_MAX || err > INT64_MAX - (control + out))
        return std::nullopt;
    return log_position{control, out, err};
}

}    // namespace caisson
