#include "adapters/schema/schema_check.hpp"

#include "adapters/schema/canonical_json.hpp"
#include "adapters/schema/value_facts.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace caisson {

namespace {

constexpr std::size_t max_faults = 20;
/// Enough for a value of 256 levels with an alternative at each.
constexpr int max_check_depth = 600;
constexpr int max_references = 100;

/// Bytes per step: for reading, and for writing to a string.
constexpr std::size_t bytes_per_step = 64;
constexpr std::size_t written_per_step = 16;

given_up too_deep(int level) { return {"the schema refers to itself too deep: the check was given up at level " + std::to_string(level)}; }

}    // namespace

std::vector<field_problem> schema_judge::judge(const json& value)
{
    matches(model_.root(), {value, json_place(), false, 0});
    return std::move(faults_);
}

bool schema_judge::fault(const spot& at, std::string_view what)
{
    if (!at.quiet && faults_.size() < max_faults)
        faults_.push_back({pointer_to(at.place), std::string(what)});
    return false;
}

bool schema_judge::fault_of_member(const spot& at, std::string_view name, std::string_view what)
{
    return fault({at.value, {&at.place, name}, at.quiet, at.depth}, what);
}

std::string schema_judge::told(const spot& at, const json& value) const
{
    return at.quiet || faults_.size() == max_faults ? std::string() : short_text(value);
}

bool schema_judge::has(const object& members, std::string_view name)
{
    budget_.charge(1 + name.size() / bytes_per_step);
    return members.contains(name);
}

std::string schema_judge::canonical(const json& value)
{
    auto text = canonical_json(value);
    budget_.charge(1 + text.size() / written_per_step);
    return text;
}

/// Follows "$ref"; draft 7 ignores all its sibling keywords.
const boost::json::value& schema_judge::behind_references(const json& schema)
{
    const auto* at = &schema;
    for (int followed = 0; at->is_object(); ++followed) {
        const auto* reference = at->get_object().if_contains("$ref");
        if (reference == nullptr)
            return *at;
        budget_.charge();
        if (followed == max_references)
            throw too_deep(followed);
        at = &model_.target(*reference);
    }
    return *at;
}

bool schema_judge::matches(const json& wanted, const spot& at)
{
    if (at.depth > max_check_depth)
        throw too_deep(max_check_depth);
    const auto& schema = behind_references(wanted);
    budget_.charge();
    if (schema.is_bool())
        return schema.get_bool() || fault(at, "nothing is allowed here");
    const auto& keywords = schema.get_object();
    budget_.charge(1 + keywords.size());
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

bool schema_judge::matches_within(const json& schema, const json& value, const json_place& place, const spot& at)
{
    return matches(schema, {value, place, at.quiet, at.depth + 1});
}

bool schema_judge::matches_beside(const json& schema, const spot& at)
{
    return matches(schema, {at.value, at.place, at.quiet, at.depth + 1});
}

bool schema_judge::matches_quietly(const json& schema, const json& value, const spot& at)
{
    return matches(schema, {value, at.place, true, at.depth + 1});
}

bool schema_judge::check_type(const json& wanted, const spot& at)
{
    const auto fits = [&](const json& each) {
        budget_.charge();
        return is_of_type(at.value, each.get_string());
    };
    if (wanted.is_string() ? fits(wanted) : std::ranges::any_of(wanted.get_array(), fits))
        return true;
    return fault(at, "must be " + told(at, wanted) + ", is " + std::string(type_name(at.value)));
}

bool schema_judge::check_value(const object& schema, const spot& at)
{
    bool good = true;
    if (const auto* types = schema.if_contains("type"))
        good = check_type(*types, at);
    const auto* constant = schema.if_contains("const");
    const auto* choices = schema.if_contains("enum");
    if (constant == nullptr && choices == nullptr)
        return good;
    const auto text = canonical(at.value);
    const auto same = [&](const json& each) { return canonical(each) == text; };
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
        budget_.charge(text.size() / bytes_per_step);
        const auto length = static_cast<double>(length_of(text));
        if (least != nullptr && length < number_of(*least))
            good = fault(at, "must have at least " + told(at, *least) + " characters");
        if (most != nullptr && length > number_of(*most))
            good = fault(at, "must have at most " + told(at, *most) + " characters");
    }
    const auto* pattern = schema.if_contains("pattern");
    if (pattern != nullptr && !model_.patterns().matches(pattern->get_string(), text, budget_))
        good = fault(at, "must match the pattern " + told(at, *pattern));
    return good;
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
    if (const auto* unique = schema.if_contains("uniqueItems"); unique != nullptr && unique->get_bool())
        good = check_difference(at) && good;
    if (const auto* contained = schema.if_contains("contains")) {
        const auto fits = [&](const json& each) { return matches_quietly(*contained, each, at); };
        if (std::ranges::none_of(items, fits))
            good = fault(at, "must have an item that matches \"contains\"");
    }
    return good;
}

/// Sorts instead of hashing: chosen items could make a hash table slow.
bool schema_judge::check_difference(const spot& at)
{
    std::vector<std::string> seen;
    for (const auto& each : at.value.get_array())
        seen.push_back(canonical(each));
    budget_.charge(seen.size());
    std::ranges::sort(seen);
    return std::ranges::adjacent_find(seen) == seen.end() || fault(at, "must not have the same item twice");
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
        const auto* item = i < listed ? &wanted->get_array()[i] : others;
        if (item != nullptr)
            good = matches_within(*item, items[i], {&at.place, {}, i}, at) && good;
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
            if (!has(members, each.get_string()))
                good = fault_of_member(at, each.get_string(), "is required");
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
        budget_.charge(1 + each.key().size() / bytes_per_step);
        if (names != nullptr && !matches_quietly(*names, json(each.key()), at))
            good = fault_of_member(at, each.key(), "has a name that is not allowed");
        good = check_member(schema, each, at) && good;
    }
    return good;
}

bool schema_judge::check_member(const object& schema, const object::value_type& member, const spot& at)
{
    bool good = true;
    bool named = false;
    const json_place place{&at.place, member.key()};
    const auto judge_by = [&](const json& wanted) {
        named = true;
        good = matches_within(wanted, member.value(), place, at) && good;
    };
    if (const auto* properties = schema.if_contains("properties"))
        if (const auto* wanted = properties->get_object().if_contains(member.key()))
            judge_by(*wanted);
    if (const auto* patterns = schema.if_contains("patternProperties"))
        for (const auto& each : patterns->get_object())
            if (model_.patterns().matches(each.key(), member.key(), budget_))
                judge_by(each.value());
    const auto* others = schema.if_contains("additionalProperties");
    if (named || others == nullptr)
        return good;
    if (others->is_bool() && !others->get_bool())
        return fault_of_member(at, member.key(), "is not a known property");
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
        if (!has(members, each.key()))
            continue;
        if (!each.value().is_array()) {
            good = matches_beside(each.value(), at) && good;
            continue;
        }
        for (const auto& needed : each.value().get_array())
            if (!has(members, needed.get_string()))
                good = fault_of_member(at, needed.get_string(), "is required beside " + told(at, json(each.key())));
    }
    return good;
}

bool schema_judge::check_combinations(const object& schema, const spot& at)
{
    bool good = true;
    const auto fits = [&](const json& each) { return matches_quietly(each, at.value, at); };
    if (const auto* all = schema.if_contains("allOf"))
        for (const auto& each : all->get_array())
            good = matches_beside(each, at) && good;
    if (const auto* any = schema.if_contains("anyOf"); any != nullptr && std::ranges::none_of(any->get_array(), fits))
        good = fault(at, "matches none of the " + std::to_string(any->get_array().size()) + " schemas of \"anyOf\"");
    if (const auto* one_of = schema.if_contains("oneOf"))
        if (const auto count = std::ranges::count_if(one_of->get_array(), fits); count != 1)
            good = fault(at, "must match exactly one schema of \"oneOf\", matches " + std::to_string(count));
    if (const auto* none = schema.if_contains("not"); none != nullptr && matches_quietly(*none, at.value, at))
        good = fault(at, "matches the schema of \"not\"");
    return good;
}

bool schema_judge::check_condition(const object& schema, const spot& at)
{
    const auto* condition = schema.if_contains("if");
    if (condition == nullptr)
        return true;
    const auto* then = schema.if_contains(matches_quietly(*condition, at.value, at) ? "then" : "else");
    return then == nullptr || matches_beside(*then, at);
}

}    // namespace caisson
