#include "adapters/engine/engine_version.hpp"

#include "adapters/engine/engine_error.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>

namespace caisson::docker {

namespace {

std::string text_at(const boost::json::value& json, std::string_view name)
{
    const auto* const object = json.if_object();
    const auto* const found = object == nullptr ? nullptr : object->if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::optional<int> number_of(std::string_view text)
{
    int out = 0;
    const auto* const last = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), last, out);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != last || out < 0)
        return std::nullopt;
    return out;
}

}    // namespace

std::optional<api_version> api_version::parse(std::string_view text)
{
    const auto dot = text.find('.');
    if (dot == std::string_view::npos)
        return std::nullopt;
    const auto major = number_of(text.substr(0, dot));
    const auto minor = number_of(text.substr(dot + 1));
    return major && minor ? std::optional(api_version{*major, *minor}) : std::nullopt;
}

std::string api_version::str() const { return std::to_string(major) + "." + std::to_string(minor); }

result<engine_version> engine_version_from(const boost::json::value& json)
{
    const auto newest = api_version::parse(text_at(json, "ApiVersion"));
    if (!newest)
        return not_an_engine("its version is missing or malformed");
    const auto oldest = api_version::parse(text_at(json, "MinAPIVersion"));
    return engine_version{text_at(json, "Version"), *newest, oldest.value_or(*newest), text_at(json, "Arch")};
}

result<api_version> spoken_with(const engine_version& engine)
{
    if (engine.newest < oldest_api)
        return error{errc::runtime_unavailable, "the Docker engine is too old: it is " + engine.version + " with API " +
                                                    engine.newest.str() + ", and API " + oldest_api.str() +
                                                    " (Docker 19.03) is the oldest that can be used"};
    return std::max(std::min(preferred_api, engine.newest), engine.oldest);
}

}    // namespace caisson::docker
