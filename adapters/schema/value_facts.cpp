#include "adapters/schema/value_facts.hpp"

#include "core/base/plain_json.hpp"
#include "core/base/utf8.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace caisson {

namespace {

constexpr std::size_t longest_text = 100;

}    // namespace

std::string_view type_name(const boost::json::value& value)
{
    switch (value.kind()) {
    case boost::json::kind::null: return "null";
    case boost::json::kind::bool_: return "boolean";
    case boost::json::kind::object: return "object";
    case boost::json::kind::array: return "array";
    case boost::json::kind::string: return "string";
    default: return is_whole_number(value) ? "integer" : "number";
    }
}

bool is_of_type(const boost::json::value& value, std::string_view wanted)
{
    return type_name(value) == wanted || (wanted == "number" && value.is_number());
}

double number_of(const boost::json::value& value)
{
    switch (value.kind()) {
    case boost::json::kind::int64: return static_cast<double>(value.get_int64());
    case boost::json::kind::uint64: return static_cast<double>(value.get_uint64());
    case boost::json::kind::double_: return value.get_double();
    default: return 0;
    }
}

bool is_whole_number(const boost::json::value& value)
{
    return value.is_int64() || value.is_uint64() || (value.is_double() && std::trunc(value.get_double()) == value.get_double());
}

bool is_multiple(const boost::json::value& value, const boost::json::value& of)
{
    if (value.is_int64() && of.is_int64())
        return value.get_int64() % of.get_int64() == 0;
    const auto quotient = number_of(value) / number_of(of);
    return std::abs(quotient - std::round(quotient)) <= 1e-9 * std::max(1.0, std::abs(quotient));
}

std::size_t length_of(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string short_text(const boost::json::value& value)
{
    auto text = plain_json(value, longest_text);
    if (text.size() <= longest_text)
        return text;
    text.resize(longest_text);
    text.resize(text.size() - incomplete_utf8_tail(text));
    return text + "…";
}

}    // namespace caisson
