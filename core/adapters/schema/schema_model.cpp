#include "core/adapters/schema/schema_model.hpp"

#include "core/adapters/schema/canonical_json.hpp"

#include <boost/json.hpp>
#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace caisson {

namespace {

constexpr int max_depth = 64;
constexpr std::size_t max_schemas = 5'000;
constexpr std::size_t max_patterns = 200;
constexpr std::size_t max_pattern_bytes = 1'024;
constexpr std::int64_t max_pattern_memory = 1 << 20;

constexpr std::array<std::string_view, 7> type_names{"null", "boolean", "object", "array", "number", "integer", "string"};

/// What later drafts judge by; to pass over them would accept what they refuse.
constexpr std::array<std::string_view, 11> later_keywords{"prefixItems", "unevaluatedProperties", "unevaluatedItems", "dependentRequired",
    "dependentSchemas", "minContains", "maxContains", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$anchor"};

/// The form that a keyword's value has.
enum class form {
    count,
    number,
    above_zero,
    flag,
    text,
    types,
    names,
    alternatives,
    schema,
    schema_or_list,
    schemas,
    named_schemas,
    dependencies
};

constexpr std::pair<std::string_view, form> keyword_forms[] = {
    {"type", form::types},
    {"enum", form::alternatives},
    {"multipleOf", form::above_zero},
    {"maximum", form::number},
    {"exclusiveMaximum", form::number},
    {"minimum", form::number},
    {"exclusiveMinimum", form::number},
    {"maxLength", form::count},
    {"minLength", form::count},
    {"maxItems", form::count},
    {"minItems", form::count},
    {"maxProperties", form::count},
    {"minProperties", form::count},
    {"uniqueItems", form::flag},
    {"required", form::names},
    {"items", form::schema_or_list},
    {"additionalItems", form::schema},
    {"contains", form::schema},
    {"additionalProperties", form::schema},
    {"propertyNames", form::schema},
    {"not", form::schema},
    {"if", form::schema},
    {"then", form::schema},
    {"else", form::schema},
    {"allOf", form::schemas},
    {"anyOf", form::schemas},
    {"oneOf", form::schemas},
    {"properties", form::named_schemas},
    {"patternProperties", form::named_schemas},
    {"definitions", form::named_schemas},
    {"$defs", form::named_schemas},
    {"dependencies", form::dependencies},
    {"pattern", form::text},
    {"$ref", form::text},
    {"$id", form::text},
    {"format", form::text},
};

bool is_count(const boost::json::value& value) { return is_whole_number(value) && number_of(value) >= 0; }

bool is_type(const boost::json::value& value)
{
    return value.is_string() && std::ranges::find(type_names, std::string_view(value.get_string())) != type_names.end();
}

bool are_strings(const boost::json::value& value)
{
    return value.is_array() && std::ranges::all_of(value.get_array(), [](const auto& each) { return each.is_string(); });
}

bool are_types(const boost::json::value& value)
{
    return is_type(value) || (value.is_array() && !value.get_array().empty() && std::ranges::all_of(value.get_array(), is_type));
}

/// What a keyword's value has to be; empty if it is. Schemas within are looked at elsewhere.
std::string_view fault_of(form wanted, const boost::json::value& value)
{
    const bool schema = value.is_object() || value.is_bool();
    const bool list = value.is_array() && !value.get_array().empty();
    switch (wanted) {
    case form::count: return is_count(value) ? "" : "must be a whole number, 0 or more";
    case form::number: return value.is_number() ? "" : "must be a number";
    case form::above_zero: return value.is_number() && number_of(value) > 0 ? "" : "must be a number above 0";
    case form::flag: return value.is_bool() ? "" : "must be true or false";
    case form::text: return value.is_string() ? "" : "must be a text";
    case form::types: return are_types(value) ? "" : "must be null, boolean, object, array, number, integer or string, or a list of them";
    case form::names: return are_strings(value) ? "" : "must be a list of texts";
    case form::alternatives: return list ? "" : "must be a list with at least one value";
    case form::schema: return schema ? "" : "must be a schema";
    case form::schema_or_list: return schema || value.is_array() ? "" : "must be a schema or a list of schemas";
    case form::schemas: return list ? "" : "must be a list with at least one schema";
    default: return value.is_object() ? "" : "must be a map";
    }
}

std::string shown(std::string_view text) { return "\"" + std::string(text.substr(0, 100)) + "\""; }

error wrong(const std::string& place, std::string_view what) { return {errc::bad_request, place + ": " + std::string(what)}; }

/// \uXXXX of ECMA 262 in RE2's way; all else is the same in both, or refused by RE2.
std::string translated(std::string_view pattern)
{
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool escape = pattern[i] == '\\' && i + 1 < pattern.size();
        if (escape && pattern[i + 1] == 'u' && i + 6 <= pattern.size()) {
            text.append("\\x{").append(pattern.substr(i + 2, 4)).append("}");
            i += 5;
        } else if (escape) {
            text.append(pattern.substr(i, 2));
            ++i;
        } else {
            text += pattern[i];
        }
    }
    return text;
}

}    // namespace

schema_model::schema_model(const boost::json::value& root) : root_(&root) { }
schema_model::schema_model(schema_model&&) noexcept = default;
schema_model& schema_model::operator=(schema_model&&) noexcept = default;
schema_model::~schema_model() = default;

result<schema_model> schema_model::make(const boost::json::value& root)
{
    schema_model model(root);
    auto checked = model.check_all();
    if (checked.has_error())
        return checked.error();
    return model;
}

result<void> schema_model::check_all()
{
    waiting_.emplace_back(root_, "#");
    while (!waiting_.empty()) {
        const auto [schema, place] = std::move(waiting_.back());
        waiting_.pop_back();
        if (auto checked = check(*schema, place, 0); checked.has_error())
            return checked;
    }
    return {};
}

result<void> schema_model::check(const boost::json::value& schema, const std::string& place, int depth)
{
    if (schema.is_bool() || !checked_.insert(&schema).second)
        return {};
    if (!schema.is_object())
        return wrong(place, "must be a schema: a map, true or false");
    if (depth == max_depth)
        return wrong(place, "the schema is deeper than " + std::to_string(max_depth) + " levels");
    if (checked_.size() > max_schemas)
        return wrong(place, "the schema has more than " + std::to_string(max_schemas) + " parts");
    for (const auto& each : schema.get_object())
        if (auto checked = check_keyword(each.key(), each.value(), place + "/" + std::string(each.key()), depth); checked.has_error())
            return checked;
    return {};
}

result<void> schema_model::check_keyword(std::string_view keyword, const boost::json::value& value, const std::string& place, int depth)
{
    if (std::ranges::find(later_keywords, keyword) != later_keywords.end())
        return wrong(place, "is not of draft 7, the only one that is understood");
    const auto* known = std::ranges::find(keyword_forms, keyword, [](const auto& each) { return each.first; });
    if (known == std::end(keyword_forms))
        return {};
    if (const auto fault = fault_of(known->second, value); !fault.empty())
        return wrong(place, fault);
    if (keyword == "pattern")
        return add_pattern(value.get_string(), place);
    if (keyword == "$ref")
        return add_reference(value.get_string(), place);
    if (keyword == "$id" && place != "#/$id")
        return wrong(place, "is taken at the top of a schema only");
    if (keyword == "patternProperties")
        for (const auto& each : value.get_object())
            if (auto added = add_pattern(each.key(), place); added.has_error())
                return added;
    switch (known->second) {
    case form::schema: return check(value, place, depth + 1);
    case form::schema_or_list:
    case form::schemas: return check_schemas(value, false, place, depth);
    case form::named_schemas: return check_schemas(value, true, place, depth);
    case form::dependencies: return check_schemas(value, true, place, depth);
    default: return {};
    }
}

result<void> schema_model::check_schemas(const boost::json::value& value, bool named, const std::string& place, int depth)
{
    if (value.is_array()) {
        std::size_t number = 0;
        for (const auto& each : value.get_array())
            if (auto checked = check(each, place + "/" + std::to_string(number++), depth + 1); checked.has_error())
                return checked;
        return {};
    }
    if (!named)
        return check(value, place, depth + 1);
    const bool dependencies = place.ends_with("/dependencies");
    for (const auto& each : value.get_object()) {
        if (dependencies && are_strings(each.value()))
            continue;
        if (auto checked = check(each.value(), place + "/" + std::string(each.key()), depth + 1); checked.has_error())
            return checked;
    }
    return {};
}

result<void> schema_model::add_pattern(std::string_view text, const std::string& place)
{
    if (patterns_.contains(text))
        return {};
    if (text.size() > max_pattern_bytes)
        return wrong(place, "a pattern has more than " + std::to_string(max_pattern_bytes) + " bytes");
    if (patterns_.size() == max_patterns)
        return wrong(place, "the schema has more than " + std::to_string(max_patterns) + " patterns");
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(max_pattern_memory);
    auto compiled = std::make_unique<RE2>(translated(text), options);
    if (!compiled->ok())
        return wrong(place, "the pattern " + shown(text) + " cannot be used (no look-around, no back-references): " + compiled->error());
    patterns_.emplace(std::string(text), std::move(compiled));
    return {};
}

result<void> schema_model::add_reference(std::string_view text, const std::string& place)
{
    if (targets_.contains(text))
        return {};
    if (text != "#" && !text.starts_with("#/"))
        return wrong(place, shown(text) + " is not fetched: only references within the schema (\"#/definitions/…\") are followed");
    boost::system::error_code problem;
    const auto* target = root_->find_pointer(text.substr(1), problem);
    if (target == nullptr)
        return wrong(place, shown(text) + " leads nowhere");
    targets_.emplace(std::string(text), target);
    waiting_.emplace_back(target, std::string(text));
    return {};
}

}    // namespace caisson
