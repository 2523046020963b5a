#include "adapters/schema/canonical_json.hpp"

#include <boost/json.hpp>

#include <cmath>
#include <map>

namespace caisson {

namespace {

constexpr double first_beyond_int64 = 9'223'372'036'854'775'808.0;

void append(std::string& text, const boost::json::value& value);

void append_double(std::string& text, double number)
{
    const bool whole = std::trunc(number) == number && std::abs(number) < first_beyond_int64;
    text += whole ? std::to_string(static_cast<std::int64_t>(number)) : boost::json::serialize(boost::json::value(number));
}

void append_object(std::string& text, const boost::json::object& object)
{
    std::map<std::string_view, const boost::json::value*> members;
    for (const auto& each : object)
        members.emplace(each.key(), &each.value());
    text += '{';
    for (const auto& [key, value] : members) {
        text += boost::json::serialize(boost::json::string(key));
        text += ':';
        append(text, *value);
        text += ',';
    }
    text += '}';
}

void append(std::string& text, const boost::json::value& value)
{
    switch (value.kind()) {
    case boost::json::kind::double_: return append_double(text, value.get_double());
    case boost::json::kind::object: return append_object(text, value.get_object());
    case boost::json::kind::array:
        text += '[';
        for (const auto& each : value.get_array()) {
            append(text, each);
            text += ',';
        }
        text += ']';
        return;
    default: text += boost::json::serialize(value);
    }
}

}    // namespace

std::string canonical_json(const boost::json::value& value)
{
    std::string text;
    append(text, value);
    return text;
}

}    // namespace caisson
