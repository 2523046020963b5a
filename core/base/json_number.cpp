#include "core/base/json_number.hpp"

#include <cmath>

namespace caisson {

std::optional<std::int64_t> whole_number(const boost::json::value& value)
{
    constexpr double beyond = 9223372036854775808.0;    // 2^63
    if (value.is_int64())
        return value.get_int64();
    if (!value.is_double())
        return std::nullopt;
    const double number = value.get_double();
    if (!(number >= -beyond && number < beyond) || std::trunc(number) != number)
        return std::nullopt;
    return static_cast<std::int64_t>(number);
}

}    // namespace caisson
