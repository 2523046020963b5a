#include "adapters/schema/schema_keywords.hpp"

#include "adapters/schema/value_facts.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace caisson {

namespace {

using form = keyword_form;

constexpr std::array<std::string_view, 7> type_names{"null", "boolean", "object", "array", "number", "integer", "string"};

constexpr std::array<std::string_view, 11> later_keywords{"prefixItems", "unevaluatedProperties", "unevaluatedItems", "dependentRequired",
    "dependentSchemas", "minContains", "maxContains", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$anchor"};

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

bool are_types(const boost::json::value& value)
{
    return is_type(value) || (value.is_array() && !value.get_array().empty() && std::ranges::all_of(value.get_array(), is_type));
}

}    // namespace

std::optional<keyword_form> form_of(std::string_view keyword)
{
    const auto* known = std::ranges::find(keyword_forms, keyword, [](const auto& each) { return each.first; });
    return known == std::end(keyword_forms) ? std::nullopt : std::optional(known->second);
}

bool is_of_later_draft(std::string_view keyword) { return std::ranges::find(later_keywords, keyword) != later_keywords.end(); }

bool are_strings(const boost::json::value& value)
{
    return value.is_array() && std::ranges::all_of(value.get_array(), [](const auto& each) { return each.is_string(); });
}

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

}    // namespace caisson
