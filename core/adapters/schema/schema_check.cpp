#include "core/adapters/schema/schema_check.hpp"

#include "core/adapters/schema/canonical_json.hpp"

#include <boost/json.hpp>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace caisson {

namespace {

constexpr std::size_t max_faults = 20;
constexpr std::size_t max_steps = 2'000'000;
constexpr int max_depth = 200;
constexpr std::size_t bytes_per_step = 32;

/// Ends the judging; never leaves this file.
struct given_up {
    std::string why;
};

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

bool is_of_types(const boost::json::value& value, const boost::json::value& wanted)
{
    if (wanted.is_string())
        return is_of_type(value, wanted.get_string());
    return std::ranges::any_of(wanted.get_array(), [&](const auto& each) { return is_of_type(value, each.get_string()); });
}

std::string short_text(const boost::json::value& value)
{
    auto text = boost::json::serialize(value);
    if (text.size() <= 100)
        return text;
    text.resize(100);
    return text + "…";
}

bool is_multiple(const boost::json::value& value, const boost::json::value& of)
{
    if (value.is_int64() && of.is_int64())
        return value.get_int64() % of.get_int64() == 0;
    const auto quotient = number_of(value) / number_of(of);
    return std::abs(quotient - std::round(quotient)) <= 1e-9 * std::max(1.0, std::abs(quotient));
}

/// Unicode characters, as JSON Schema counts.
std::size_t length_of(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string escaped(std::string_view key)
{
    std::string step;
    for (const char c : key)
        step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return step;
}

}    // namespace

result<std::vector<std::string>> schema_judge::judge(const boost::json::value& value)
{
    try {
        matches(model_.root(), {value, "", false, 0});
        return std::move(faults_);
    } catch (const given_up& reason) {
        return error{errc::bad_request, reason.why};
    }
}

bool schema_judge::fault(const spot& at, const std::string& what)
{
    if (!at.quiet && faults_.size() < max_faults)
        faults_.push_back((at.place.empty() ? "/" : at.place) + ": " + what);
    return false;
}

std::string schema_judge::told(const spot& at, const json& value) const
{
    return at.quiet || faults_.size() == max_faults ? std::string() : short_text(value);
}

void schema_judge::charge(std::size_t steps)
{
    steps_ += steps;
    if (steps_ > max_steps)
        throw given_up{"the schema is too costly: the check was given up after " + std::to_string(max_steps) + " steps"};
}

bool schema_judge::matches(const json& schema, const spot& at)
{
    charge(1);
    if (at.depth > max_depth)
        throw given_up{"the schema refers to itself too deep: the check was given up at level " + std::to_string(max_depth)};
    if (schema.is_bool())
        return schema.get_bool() || fault(at, "nothing is allowed here");
    const auto& keywords = schema.get_object();
    if (const auto* reference = keywords.if_contains("$ref"))    // in draft 7 all beside it is passed over
        return matches(model_.target(reference->get_string()), {at.value, at.place, at.quiet, at.depth + 1});
    charge(keywords.size());
    bool good = check_value(keywords, at);
    if (at.value.is_number())
        good = check_number(keywords, at) && good;
    if (at.value.is_string())
        good = check_string(keywords, at) && good;
    if (at.value.is_array())
        good = check_array(keywords, at) && good;
    if (at.value.is_object())
        good = check_object(keywords, at) && good;
    good = check_combinations(keywords, at) && good;
    return check_condition(keywords, at) && good;
}

bool schema_judge::matches_within(const json& schema, const json& value, const std::string& step, const spot& at)
{
    const auto place = at.quiet ? std::string() : at.place + "/" + step;
    return matches(schema, {value, place, at.quiet, at.depth + 1});
}

bool schema_judge::matches_quietly(const json& schema, const spot& at) { return matches(schema, {at.value, at.place, true, at.depth + 1}); }

bool schema_judge::check_value(const object& schema, const spot& at)
{
    bool good = true;
    if (const auto* types = schema.if_contains("type"); types != nullptr && !is_of_types(at.value, *types))
        good = fault(at, "must be " + told(at, *types) + ", is " + std::string(type_name(at.value)));
    const auto* constant = schema.if_contains("const");
    const auto* choices = schema.if_contains("enum");
    if (constant == nullptr && choices == nullptr)
        return good;
    const auto text = canonical_json(at.value);
    charge(text.size() / bytes_per_step);
    const auto same = [&](const json& each) {
        const auto other = canonical_json(each);
        charge(1 + other.size() / bytes_per_step);
        return other == text;
    };
    if (constant != nullptr && !same(*constant))
        good = fault(at, "must be " + told(at, *constant));
    if (choices != nullptr && std::ranges::none_of(choices->get_array(), same))
        good = fault(at, "must be one of " + told(at, *choices));
    return good;
}

bool schema_judge::check_number(const object& schema, const spot& at)
{
    const auto number = number_of(at.value);
    bool good = true;
    const auto* limit = schema.if_contains("minimum");
    if (limit != nullptr && number < number_of(*limit))
        good = fault(at, "must be at least " + told(at, *limit));
    limit = schema.if_contains("exclusiveMinimum");
    if (limit != nullptr && number <= number_of(*limit))
        good = fault(at, "must be more than " + told(at, *limit));
    limit = schema.if_contains("maximum");
    if (limit != nullptr && number > number_of(*limit))
        good = fault(at, "must be at most " + told(at, *limit));
    limit = schema.if_contains("exclusiveMaximum");
    if (limit != nullptr && number >= number_of(*limit))
        good = fault(at, "must be less than " + told(at, *limit));
    limit = schema.if_contains("multipleOf");
    if (limit != nullptr && !is_multiple(at.value, *limit))
        good = fault(at, "must be a multiple of " + told(at, *limit));
    return good;
}

bool schema_judge::check_string(const object& schema, const spot& at)
{
    const std::string_view text = at.value.get_string();
    bool good = true;
    const auto* least = schema.if_contains("minLength");
    const auto* most = schema.if_contains("maxLength");
    if (least != nullptr || most != nullptr) {
        charge(text.size() / bytes_per_step);
        const auto length = static_cast<double>(length_of(text));
        if (least != nullptr && length < number_of(*least))
            good = fault(at, "must have at least " + told(at, *least) + " characters");
        if (most != nullptr && length > number_of(*most))
            good = fault(at, "must have at most " + told(at, *most) + " characters");
    }
    if (const auto* pattern = schema.if_contains("pattern"); pattern != nullptr && !matches_pattern(pattern->get_string(), text))
        good = fault(at, "must match the pattern " + told(at, *pattern));
    return good;
}

bool schema_judge::matches_pattern(std::string_view pattern, std::string_view text)
{
    charge(1 + text.size() / bytes_per_step * 4);
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), model_.pattern(pattern));
}

bool schema_judge::check_array(const object& schema, const spot& at)
{
    const auto& items = at.value.get_array();
    const auto count = static_cast<double>(items.size());
    bool good = check_items(schema, at);
    if (const auto* least = schema.if_contains("minItems"); least != nullptr && count < number_of(*least))
        good = fault(at, "must have at least " + told(at, *least) + " items");
    if (const auto* most = schema.if_contains("maxItems"); most != nullptr && count > number_of(*most))
        good = fault(at, "must have at most " + told(at, *most) + " items");
    if (const auto* unique = schema.if_contains("uniqueItems"); unique != nullptr && unique->get_bool()) {
        std::unordered_set<std::string> seen;
        for (const auto& each : items) {
            auto text = canonical_json(each);
            charge(1 + text.size() / bytes_per_step);
            if (!seen.insert(std::move(text)).second)
                return fault(at, "must not have the same item twice");
        }
    }
    if (const auto* contained = schema.if_contains("contains")) {
        const auto fits = [&](const json& each) { return matches(*contained, {each, at.place, true, at.depth + 1}); };
        if (std::ranges::none_of(items, fits))
            good = fault(at, "must have an item that matches \"contains\"");
    }
    return good;
}

bool schema_judge::check_items(const object& schema, const spot& at)
{
    const auto* wanted = schema.if_contains("items");
    if (wanted == nullptr)
        return true;
    const auto& items = at.value.get_array();
    const auto* others = wanted->is_array() ? schema.if_contains("additionalItems") : wanted;
    const auto listed = wanted->is_array() ? wanted->get_array().size() : 0;
    bool good = true;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto* one = i < listed ? &wanted->get_array()[i] : others;
        if (one != nullptr)
            good = matches_within(*one, items[i], std::to_string(i), at) && good;
    }
    return good;
}

bool schema_judge::check_object(const object& schema, const spot& at)
{
    const auto& members = at.value.get_object();
    const auto count = static_cast<double>(members.size());
    bool good = check_members(schema, at);
    if (const auto* names = schema.if_contains("required"))
        for (const auto& each : names->get_array())
            if (charge(1); !members.contains(each.get_string())) {
                const auto place = at.place + "/" + escaped(each.get_string());
                good = fault({at.value, place, at.quiet, at.depth}, "is required");
            }
    if (const auto* least = schema.if_contains("minProperties"); least != nullptr && count < number_of(*least))
        good = fault(at, "must have at least " + told(at, *least) + " properties");
    if (const auto* most = schema.if_contains("maxProperties"); most != nullptr && count > number_of(*most))
        good = fault(at, "must have at most " + told(at, *most) + " properties");
    return check_dependencies(schema, at) && good;
}

bool schema_judge::check_members(const object& schema, const spot& at)
{
    bool good = true;
    const auto* names = schema.if_contains("propertyNames");
    for (const auto& each : at.value.get_object()) {
        charge(1);
        if (names != nullptr && !matches(*names, {json(each.key()), at.place, true, at.depth + 1}))
            good = fault(at, "the name " + told(at, json(each.key())) + " is not allowed");
        good = check_member(schema, each, at) && good;
    }
    return good;
}

bool schema_judge::check_member(const object& schema, const object::value_type& member, const spot& at)
{
    bool good = true;
    bool named = false;
    const auto judge_by = [&](const json& wanted) {
        named = true;
        good = matches_within(wanted, member.value(), escaped(member.key()), at) && good;
    };
    if (const auto* properties = schema.if_contains("properties"))
        if (const auto* wanted = properties->get_object().if_contains(member.key()))
            judge_by(*wanted);
    if (const auto* patterns = schema.if_contains("patternProperties"))
        for (const auto& each : patterns->get_object())
            if (matches_pattern(each.key(), member.key()))
                judge_by(each.value());
    const auto* others = schema.if_contains("additionalProperties");
    if (named || others == nullptr)
        return good;
    if (others->is_bool() && !others->get_bool())
        return fault(at, "the property " + told(at, json(member.key())) + " is not known");
    judge_by(*others);
    return good;
}

bool schema_judge::check_dependencies(const object& schema, const spot& at)
{
    const auto* dependencies = schema.if_contains("dependencies");
    if (dependencies == nullptr)
        return true;
    const auto& members = at.value.get_object();
    bool good = true;
    for (const auto& each : dependencies->get_object()) {
        charge(1);
        if (!members.contains(each.key()))
            continue;
        if (!each.value().is_array()) {
            good = matches(each.value(), {at.value, at.place, at.quiet, at.depth + 1}) && good;
            continue;
        }
        for (const auto& needed : each.value().get_array())
            if (!members.contains(needed.get_string()))
                good = fault(at, "the property " + told(at, needed) + " is required beside " + told(at, json(each.key())));
    }
    return good;
}

bool schema_judge::check_combinations(const object& schema, const spot& at)
{
    bool good = true;
    const auto fits = [&](const json& each) { return matches_quietly(each, at); };
    if (const auto* all = schema.if_contains("allOf"))
        for (const auto& each : all->get_array())
            good = matches(each, {at.value, at.place, at.quiet, at.depth + 1}) && good;
    if (const auto* any = schema.if_contains("anyOf"); any != nullptr && std::ranges::none_of(any->get_array(), fits))
        good = fault(at, "matches none of the " + std::to_string(any->get_array().size()) + " schemas of \"anyOf\"");
    if (const auto* one = schema.if_contains("oneOf"))
        if (const auto count = std::ranges::count_if(one->get_array(), fits); count != 1)
            good = fault(at, "must match exactly one schema of \"oneOf\", matches " + std::to_string(count));
    if (const auto* none = schema.if_contains("not"); none != nullptr && matches_quietly(*none, at))
        good = fault(at, "matches the schema of \"not\"");
    return good;
}

bool schema_judge::check_condition(const object& schema, const spot& at)
{
    const auto* condition = schema.if_contains("if");
    if (condition == nullptr)
        return true;
    const auto* then = schema.if_contains(matches_quietly(*condition, at) ? "then" : "else");
    return then == nullptr || matches(*then, {at.value, at.place, at.quiet, at.depth + 1});
}

}    // namespace caisson
