#include "core/base/json_bytes.hpp"

#include "core/base/base64.hpp"
#include "core/base/utf8.hpp"

#include <boost/json/object.hpp>

#include <stdexcept>

namespace caisson {

boost::json::value bytes_to_json(std::string_view bytes)
{
    if (is_utf8(bytes))
        return boost::json::value(bytes);
    return boost::json::object{{"base64", base64_encode(bytes)}};
}

std::string bytes_from_json(const boost::json::value& value)
{
    if (value.is_string())
        return std::string(value.get_string());
    auto bytes = base64_decode(value.as_object().at("base64").as_string());
    if (!bytes)
        throw std::invalid_argument("a kept text holds malformed base64");
    return std::move(*bytes);
}

}    // namespace caisson
