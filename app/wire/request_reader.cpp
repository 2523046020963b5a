#include "app/wire/request_reader.hpp"

#include "core/base/base64.hpp"
#include "core/base/json_number.hpp"
#include "core/base/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cmath>

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::size_t max_kept_problems = 50;
constexpr std::size_t max_told_problems = 5;
constexpr std::size_t max_name_bytes = 64;

std::string joined(const std::vector<std::string>& sentences)
{
    std::string out;
    for (std::size_t i = 0; i < std::min(sentences.size(), max_told_problems); ++i)
        out += (i == 0 ? "" : "; ") + sentences[i];
    if (sentences.size() > max_told_problems)
        out += "; and " + std::to_string(sentences.size() - max_told_problems) + " more";
    return out;
}

std::string between(const std::string& min, const std::string& max) { return "between " + min + " and " + max; }

/// Formats thousandths: 10 is "0.01".
std::string decimal_of(std::int64_t thousandths)
{
    auto fraction = std::to_string(1000 + thousandths % 1000).substr(1);
    fraction.resize(fraction.find_last_not_of('0') + 1);
    return std::to_string(thousandths / 1000) + (fraction.empty() ? "" : "." + fraction);
}

bool too_long(std::size_t size, std::size_t max, const std::string& field, problem_list& problems)
{
    if (size <= max)
        return false;
    problems.add(field, "must be at most " + std::to_string(max) + " bytes long, not " + std::to_string(size));
    return true;
}

}    // namespace

void problem_list::list::add(std::string field, std::string message, std::string sentence)
{
    if (fields.size() >= max_kept_problems)
        return;
    sentences.push_back(sentence.empty() ? field + ' ' + message : std::move(sentence));
    fields.push_back({std::move(field), std::move(message)});
}

void problem_list::add(std::string field, std::string message, std::string sentence)
{
    wrong_.add(std::move(field), std::move(message), std::move(sentence));
}

void problem_list::add_later(std::string field, std::string message) { later_.add(std::move(field), std::move(message), {}); }

error problem_list::to_error() const
{
    if (wrong_.fields.empty())
        return {errc::not_implemented, joined(later_.sentences), later_.fields};
    return {errc::bad_request, joined(wrong_.sentences), wrong_.fields};
}

std::string field_path(std::string_view path, std::string_view name)
{
    std::string out(path);
    if (!out.empty())
        out += '.';
    auto shown = name.substr(0, max_name_bytes);
    shown.remove_suffix(incomplete_utf8_tail(shown));
    out.append(shown);
    return shown.size() < name.size() ? out + "…" : out;
}

std::optional<std::string> text_of(const json::value& value, const std::string& field, std::size_t max_bytes, problem_list& problems)
{
    if (!value.is_string()) {
        problems.add(field, "must be a string");
        return std::nullopt;
    }
    const std::string_view text = value.get_string();
    if (too_long(text.size(), max_bytes, field, problems))
        return std::nullopt;
    if (text.find('\0') != std::string_view::npos) {
        problems.add(field, "must not contain NUL");
        return std::nullopt;
    }
    return std::string(text);
}

std::optional<std::string> bytes_of(const json::value& value, const std::string& field, std::size_t max_bytes, problem_list& problems)
{
    std::optional<std::string> bytes;
    if (value.is_string()) {
        bytes = std::string(value.get_string());
    } else if (value.is_object() && value.get_object().size() == 1 && value.get_object().contains("base64")) {
        const auto& digits = value.get_object().at("base64");
        if (digits.is_string())
            bytes = base64_decode(digits.get_string());
        if (!bytes)
            problems.add(field + ".base64", "must be base64 with its padding");
    } else {
        problems.add(field, "must be a string or {\"base64\": \"…\"}");
    }
    if (!bytes || too_long(bytes->size(), max_bytes, field, problems))
        return std::nullopt;
    return bytes;
}

object_reader::object_reader(const json::object& object, std::string path, problem_list& problems)
    : object_(object), path_(std::move(path)), problems_(problems)
{
}

const json::value* object_reader::take(std::string_view name)
{
    const auto* member = object_.find(name);
    if (member == object_.end() || std::ranges::find(absent_, name) != absent_.end())
        return nullptr;
    taken_.push_back(member->key());
    return &member->value();
}

bool object_reader::has(std::string_view name) const { return object_.contains(name) && std::ranges::find(absent_, name) == absent_.end(); }

void object_reader::allow_null(std::string_view name)
{
    const auto* value = take(name);
    if (value != nullptr && value->is_null())
        absent_.push_back(taken_.back());
}

const json::value* object_reader::take_kind(std::string_view name, json::kind kind, std::string_view article)
{
    const auto* value = take(name);
    if (value == nullptr || value->kind() == kind)
        return value;
    problem(name, "must be " + std::string(article));
    return nullptr;
}

std::optional<std::string> object_reader::text(std::string_view name, std::size_t max_bytes, std::size_t min_bytes)
{
    const auto* value = take(name);
    if (value == nullptr)
        return std::nullopt;
    auto text = text_of(*value, path_of(name), max_bytes, problems_);
    if (!text || text->size() >= min_bytes)
        return text;
    problem(name, text->empty() ? "must not be empty" : "must be at least " + std::to_string(min_bytes) + " bytes long");
    return std::nullopt;
}

std::optional<std::string> object_reader::bytes(std::string_view name, std::size_t max_bytes)
{
    const auto* value = take(name);
    if (value == nullptr)
        return std::nullopt;
    return bytes_of(*value, path_of(name), max_bytes, problems_);
}

std::optional<std::int64_t> object_reader::integer(std::string_view name, std::int64_t min, std::int64_t max)
{
    const auto* value = take(name);
    if (value == nullptr)
        return std::nullopt;
    if (const auto number = whole_number(*value); number && *number >= min && *number <= max)
        return number;
    problem(name, "must be a whole number " + between(std::to_string(min), std::to_string(max)));
    return std::nullopt;
}

std::optional<std::int64_t> object_reader::thousandths(std::string_view name, std::int64_t min, std::int64_t max)
{
    constexpr double slack = 1e-6;    // rounding error of a decimal fraction in binary
    const auto* value = take(name);
    if (value == nullptr)
        return std::nullopt;
    if (value->is_number()) {
        const auto count = value->to_number<double>() * 1000;
        if (count > static_cast<double>(min) - slack && count < static_cast<double>(max) + slack)
            return std::llround(count);
    }
    problem(name, "must be a number " + between(decimal_of(min), decimal_of(max)));
    return std::nullopt;
}

std::optional<bool> object_reader::boolean(std::string_view name)
{
    const auto* value = take_kind(name, json::kind::bool_, "true or false");
    return value == nullptr ? std::nullopt : std::optional<bool>(value->get_bool());
}

std::optional<std::size_t> object_reader::choice(std::string_view name, std::span<const std::string_view> choices)
{
    const auto* value = take(name);
    if (value == nullptr)
        return std::nullopt;
    if (value->is_string()) {
        const auto found = std::ranges::find(choices, std::string_view(value->get_string()));
        if (found != choices.end())
            return static_cast<std::size_t>(found - choices.begin());
    }
    std::string list;
    for (auto choice : choices)
        list += (list.empty() ? "\"" : ", \"") + std::string(choice) + '"';
    problem(name, "must be one of " + list);
    return std::nullopt;
}

const json::object* object_reader::object(std::string_view name)
{
    const auto* value = take_kind(name, json::kind::object, "an object");
    return value == nullptr ? nullptr : &value->get_object();
}

const json::array* object_reader::array(std::string_view name)
{
    const auto* value = take_kind(name, json::kind::array, "an array");
    return value == nullptr ? nullptr : &value->get_array();
}

void object_reader::problem(std::string_view name, std::string message) { problems_.add(path_of(name), std::move(message)); }

void object_reader::later_field(std::string_view name, std::string message) { problems_.add_later(path_of(name), std::move(message)); }

void object_reader::refuse_unknown()
{
    std::size_t unknown = 0;
    for (const auto& member : object_) {
        if (std::ranges::find(taken_, std::string_view(member.key())) != taken_.end())
            continue;
        problem(member.key(), "is not a known field");
        if (++unknown == max_kept_problems)    // more would not be kept
            return;
    }
}

}    // namespace caisson::wire
