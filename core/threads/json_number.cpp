#include "core/threads/json_number.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

namespace caisson {

namespace {

/// digits × 10^exponent; zero if there are no digits.
struct decimal {
    bool negative = false;
    std::string digits;    // without leading and trailing zeros
    std::int64_t exponent = 0;
    bool operator==(const decimal&) const = default;
};

/// Parses the digits after "e". Clamps to half of int64, so that sums cannot overflow.
std::int64_t exponent_of(std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    std::int64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc::result_out_of_range)
        return text.starts_with('-') ? INT64_MIN / 2 : INT64_MAX / 2;
    return std::clamp(value, INT64_MIN / 2, INT64_MAX / 2);
}

decimal decimal_of(std::string_view text)
{
    decimal number;
    number.negative = text.starts_with('-');
    text.remove_prefix(number.negative ? 1 : 0);
    const auto e = std::min(text.find_first_of("eE"), text.size());
    const auto mantissa = text.substr(0, e);
    const auto point = std::min(mantissa.find('.'), mantissa.size());
    number.digits.append(mantissa.substr(0, point)).append(mantissa.substr(std::min(point + 1, mantissa.size())));
    number.exponent = e < text.size() ? exponent_of(text.substr(e + 1)) : 0;
    number.exponent -= point < mantissa.size() ? std::ssize(mantissa) - static_cast<std::int64_t>(point) - 1 : 0;
    const auto last = number.digits.find_last_not_of('0');
    if (last == std::string::npos)
        return {};
    number.exponent += std::ssize(number.digits) - static_cast<std::int64_t>(last) - 1;
    number.digits.resize(last + 1);
    number.digits.erase(0, number.digits.find_first_not_of('0'));
    return number;
}

}    // namespace

bool same_number(std::string_view a, std::string_view b) { return a == b || decimal_of(a) == decimal_of(b); }

}    // namespace caisson
