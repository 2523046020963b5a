#include "core/skills/yaml_json.hpp"

#include "core/skills/digits.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace caisson {

namespace {

std::optional<std::int64_t> whole_number(std::string_view text)
{
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0o")) {
        base = text[1] == 'x' ? 16 : 8;
        text.remove_prefix(2);
    } else if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    const bool signed_here = text.starts_with('-') && base != 10;
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || signed_here || problem != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
std::optional<double> decimal_number(std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    const auto body = text.starts_with('-') ? text.substr(1) : text;
    const bool numeric =
        std::ranges::all_of(body, [](char c) { return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'; });
    const bool begins = !body.empty() && (is_digit(body.front()) || (body.front() == '.' && body.size() > 1 && is_digit(body[1])));
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!numeric || !begins || problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

boost::json::value scalar_of(const yaml_value& value)
{
    const std::string_view text = value.text;
    if (value.plain) {
        if (text == "true" || text == "True" || text == "TRUE")
            return true;
        if (text == "false" || text == "False" || text == "FALSE")
            return false;
        if (const auto whole = whole_number(text))
            return *whole;
        if (const auto decimal = decimal_number(text))
            return *decimal;
    }
    return boost::json::string(text);
}

}    // namespace

boost::json::value json_of(const yaml_value& value)
{
    switch (value.type) {
    case yaml_value::kind::scalar: return scalar_of(value);
    case yaml_value::kind::list: {
        boost::json::array items;
        for (const auto& each : value.items)
            items.push_back(json_of(each));
        return items;
    }
    case yaml_value::kind::map: {
        boost::json::object members;
        for (const auto& each : value.items)
            members.insert_or_assign(each.key, json_of(each));
        return members;
    }
    default: return nullptr;
    }
}

}    // namespace caisson
