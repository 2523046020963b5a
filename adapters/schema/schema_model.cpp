#include "adapters/schema/schema_model.hpp"

#include "adapters/net/percent.hpp"

#include <boost/json.hpp>

namespace caisson {

namespace {

constexpr int max_nesting = 64;
constexpr std::size_t max_schemas = 5'000;
constexpr std::size_t max_mistakes = 20;
constexpr std::size_t longest_reference = 1'024;

std::string shown(std::string_view text) { return "\"" + std::string(text.substr(0, 100)) + "\""; }

}    // namespace

result<schema_model> schema_model::make(const json& root, step_budget& budget)
{
    schema_model model(root, budget);
    model.check_all();
    if (!model.mistakes_.empty())
        return error{errc::bad_request, std::move(model.mistakes_)};
    return model;
}

void schema_model::check_all()
{
    waiting_.emplace_back(root_, "#");
    while (!waiting_.empty()) {
        const auto [schema, begin] = waiting_.back();
        waiting_.pop_back();
        begin_ = begin;
        check(*schema, {}, 0);
    }
}

void schema_model::check(const json& schema, const json_place& at, int depth)
{
    budget_->charge();
    if (schema.is_bool() || !checked_.insert(&schema).second || told_ >= max_mistakes)
        return;
    if (!schema.is_object())
        return wrong(at, "must be a schema: a map, true or false");
    if (depth == max_nesting)
        return stop(at, "the schema is deeper than " + std::to_string(max_nesting) + " levels");
    if (checked_.size() > max_schemas)
        return stop(at, "the schema has more than " + std::to_string(max_schemas) + " parts");
    for (const auto& each : schema.get_object())
        check_keyword(each.key(), each.value(), {&at, each.key()}, depth);
}

void schema_model::check_keyword(std::string_view keyword, const json& value, const json_place& at, int depth)
{
    budget_->charge();
    if (is_of_later_draft(keyword))
        return wrong(at, "is not of draft 7, the only one that is understood");
    const auto form = form_of(keyword);
    if (!form)
        return;
    if (const auto fault = fault_of(*form, value); !fault.empty())
        return wrong(at, fault);
    if (keyword == "pattern")
        return add_pattern(value.get_string(), at);
    if (keyword == "$ref")
        return add_reference(value, at);
    if (keyword == "$id" && (at.above->above != nullptr || begin_ != "#"))
        return wrong(at, "is taken at the top of a schema only");
    if (keyword == "patternProperties")
        for (const auto& each : value.get_object())
            add_pattern(each.key(), at);
    switch (*form) {
    case keyword_form::schema: return check(value, at, depth + 1);
    case keyword_form::schema_or_list:
    case keyword_form::schemas:
    case keyword_form::named_schemas:
    case keyword_form::dependencies: return check_schemas(value, *form, at, depth);
    default: return;
    }
}

void schema_model::check_schemas(const json& value, keyword_form form, const json_place& at, int depth)
{
    if (value.is_array()) {
        std::size_t number = 0;
        for (const auto& each : value.get_array())
            check(each, {&at, {}, number++}, depth + 1);
        return;
    }
    if (form == keyword_form::schema_or_list)
        return check(value, at, depth + 1);
    for (const auto& each : value.get_object())
        if (form != keyword_form::dependencies || !are_strings(each.value()))
            check(each.value(), {&at, each.key()}, depth + 1);
}

void schema_model::add_pattern(std::string_view text, const json_place& at)
{
    if (told_ >= max_mistakes)
        return;
    if (const auto fault = patterns_.add(text, *budget_); !fault.empty())
        wrong(at, fault);
}

void schema_model::add_reference(const json& reference, const json_place& at)
{
    const std::string_view text = reference.get_string();
    if (text != "#" && !text.starts_with("#/"))
        return wrong(at, shown(text) + " is not fetched: only references within the schema (\"#/definitions/…\") are followed");
    if (text.size() > longest_reference)
        return wrong(at, "a reference has more than " + std::to_string(longest_reference) + " bytes");
    budget_->charge(1 + text.size() / 16);
    const auto pointer = net::percent_decode(text.substr(1));
    if (!pointer)
        return wrong(at, shown(text) + " has a % that two hexadecimal digits do not follow");
    boost::system::error_code problem;
    const auto* target = root_->find_pointer(*pointer, problem);
    if (target == nullptr)
        return wrong(at, shown(text) + " leads nowhere");
    targets_.emplace(&reference, target);
    if (!checked_.contains(target))
        waiting_.emplace_back(target, text);
}

void schema_model::wrong(const json_place& at, std::string_view what)
{
    if (told_ >= max_mistakes)
        return;
    mistakes_.append(mistakes_.empty() ? "" : "; ").append(begin_).append(pointer_to(at)).append(": ").append(what);
    if (++told_ == max_mistakes)
        mistakes_ += "; there may be more";
}

void schema_model::stop(const json_place& at, std::string_view what)
{
    wrong(at, what);
    told_ = max_mistakes;
}

}    // namespace caisson
