#include "core/skills/types.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <stdexcept>

namespace caisson {

namespace json = boost::json;

namespace {

/// Omits empty values: most members of a manifest are empty.
void put(json::object& out, std::string_view name, const std::string& text)
{
    if (!text.empty())
        out.emplace(name, text);
}

void put(json::object& out, std::string_view name, const std::optional<std::int64_t>& number)
{
    if (number)
        out.emplace(name, *number);
}

void put(json::object& out, std::string_view name, const std::vector<std::string>& texts)
{
    if (!texts.empty())
        out.emplace(name, json::array(texts.begin(), texts.end()));
}

json::object retry_to_json(const retry_policy& policy)
{
    json::object out;
    out.emplace("attempts", policy.attempts);
    out.emplace("first_delay_ms", policy.first_delay_ms);
    out.emplace("multiplier", policy.multiplier);
    out.emplace("max_delay_ms", policy.max_delay_ms);
    json::array faults;
    for (const auto each : policy.faults)
        faults.emplace_back(to_string(each));
    out.emplace("faults", std::move(faults));
    out.emplace("exit_codes", json::array(policy.exit_codes.begin(), policy.exit_codes.end()));
    return out;
}

retry_policy retry_from_json(const json::object& object)
{
    retry_policy policy;
    policy.attempts = object.at("attempts").to_number<int>();
    policy.first_delay_ms = object.at("first_delay_ms").as_int64();
    policy.multiplier = object.at("multiplier").to_number<double>();
    policy.max_delay_ms = object.at("max_delay_ms").as_int64();
    policy.faults.clear();
    for (const auto& each : object.at("faults").as_array()) {
        const auto fault = attempt_fault_from(each.as_string());
        if (!fault)
            throw std::invalid_argument("a kept manifest names an unknown fault");
        policy.faults.push_back(*fault);
    }
    for (const auto& each : object.at("exit_codes").as_array())
        policy.exit_codes.push_back(each.to_number<int>());
    return policy;
}

/// The counterpart of put().
class reader {
public:
    explicit reader(const json::object& object) : object_(object) { }

    void get(std::string_view name, std::string& text) const
    {
        if (const auto* value = object_.if_contains(name))
            text = std::string(value->as_string());
    }
    void get(std::string_view name, std::optional<std::int64_t>& number) const
    {
        if (const auto* value = object_.if_contains(name))
            number = value->as_int64();
    }
    void get(std::string_view name, std::vector<std::string>& texts) const
    {
        if (const auto* value = object_.if_contains(name))
            for (const auto& each : value->as_array())
                texts.emplace_back(each.as_string());
    }
    void get(std::string_view name, bool& flag) const
    {
        if (const auto* value = object_.if_contains(name))
            flag = value->as_bool();
    }

private:
    const json::object& object_;
};

/// The members of simple types, for both directions.
template <class Manifest, class Each>
void for_each_member(Manifest& manifest, Each each)
{
    each("name", manifest.name);
    each("version", manifest.version);
    each("description", manifest.description);
    each("lang", manifest.lang);
    each("image", manifest.image);
    each("instructions", manifest.instructions);
    each("mode", manifest.mode);
    each("timeout_ms", manifest.timeout_ms);
    each("timeout", manifest.timeout_text);
    each("memory_bytes", manifest.memory_bytes);
    each("memory", manifest.memory_text);
    each("cpu_milli", manifest.cpu_milli);
    each("cpu", manifest.cpu_text);
    each("entrypoint", manifest.entrypoint);
    each("command", manifest.command);
    each("inputs", manifest.input_schema);
    each("outputs", manifest.output_schema);
    each("artifacts", manifest.artifacts);
    each("runtime", manifest.runtime);
}

}    // namespace

std::string manifest_to_json(const skill_manifest& manifest)
{
    json::object out;
    for_each_member(manifest, [&out](std::string_view name, const auto& value) { put(out, name, value); });
    if (!manifest.env.empty()) {
        auto& env = out.emplace("env", json::object()).first->value().get_object();
        for (const auto& [variable, text] : manifest.env)
            env.emplace(variable, text);
    }
    if (manifest.retry)
        out.emplace("retry", retry_to_json(*manifest.retry));
    if (manifest.idempotent)
        out.emplace("idempotent", true);
    return json::serialize(out);
}

skill_manifest manifest_from_json(std::string_view text)
{
    const auto value = json::parse(text);
    const auto& object = value.as_object();
    const reader from(object);
    skill_manifest manifest;
    for_each_member(manifest, [&from](std::string_view name, auto& member) { from.get(name, member); });
    from.get("idempotent", manifest.idempotent);
    if (const auto* env = object.if_contains("env"))
        for (const auto& member : env->as_object())
            manifest.env.emplace(member.key(), member.value().as_string());
    if (const auto* retry = object.if_contains("retry"))
        manifest.retry = retry_from_json(retry->as_object());
    return manifest;
}

}    // namespace caisson
