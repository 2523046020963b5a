#include "adapters/engine/json_fields.hpp"

#include "adapters/engine/engine.hpp"

#include <boost/json/serialize.hpp>

#include <limits>
#include <stdexcept>

namespace caisson::docker {

namespace json = boost::json;

const json::value* member(fields of, std::string_view name)
{
    const auto* const found = of.object.if_contains(name);
    return found && !found->is_null() ? found : nullptr;
}

const json::value& needed(fields of, std::string_view name)
{
    const auto* const found = member(of, name);
    if (!found)
        throw std::runtime_error("it has no " + std::string(name));
    return *found;
}

std::string text_of(fields of, std::string_view name)
{
    const auto* const found = member(of, name);
    return found ? std::string(found->as_string()) : std::string();
}

std::optional<std::int64_t> some_number_of(fields of, std::string_view name)
{
    const auto* const found = member(of, name);
    if (!found)
        return std::nullopt;
    return found->is_uint64() ? std::numeric_limits<std::int64_t>::max() : found->as_int64();
}

std::int64_t number_of(fields of, std::string_view name) { return some_number_of(of, name).value_or(0); }

bool flag_of(fields of, std::string_view name)
{
    const auto* const found = member(of, name);
    return found && found->as_bool();
}

std::vector<std::string> texts_of(fields of, std::string_view name)
{
    std::vector<std::string> out;
    if (const auto* const found = member(of, name))
        for (const auto& each : found->as_array())
            out.emplace_back(each.as_string());
    return out;
}

std::map<std::string, std::string> labels_of(fields of, std::string_view name)
{
    std::map<std::string, std::string> out;
    if (const auto* const found = member(of, name))
        for (const auto& [key, value] : found->as_object())
            out.emplace(key, value.as_string());
    return out;
}

std::string label_filter(const std::vector<std::string>& labels)
{
    json::array wanted(labels.begin(), labels.end());
    return escaped(json::serialize(json::object{{"label", std::move(wanted)}}));
}

std::optional<std::string> failure_of(fields line)
{
    const auto* const detail = member(line, "errorDetail");
    auto out = detail ? text_of(*detail, "message") : std::string();
    if (out.empty())
        out = text_of(line, "error");
    if (out.empty() && detail)
        out = "the engine does not say why";
    return out.empty() ? std::nullopt : std::optional(std::move(out));
}

}    // namespace caisson::docker
