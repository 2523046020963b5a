#include "core/skills/field_reader.hpp"

#include "core/base/json_number.hpp"
#include "core/skills/name_rules.hpp"
#include "core/skills/quantities.hpp"
#include "core/skills/yaml_json.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <sstream>

namespace caisson {

namespace {

std::string shortest(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

std::string of_milliseconds(std::int64_t value) { return duration_text(std::chrono::milliseconds(value)); }

}    // namespace

std::string in_quotes(std::string_view text) { return "\"" + shown_name(text) + "\""; }

const yaml_value* field_reader::find(std::string_view key) const
{
    const auto at = std::ranges::find(map_.items, key, &yaml_value::key);
    if (at == map_.items.end() || at->type == yaml_value::kind::null)
        return nullptr;
    return at->type == yaml_value::kind::scalar && at->text.empty() ? nullptr : &*at;
}

void field_reader::wrong_type(const yaml_value& value, std::string_view wanted)
{
    mistake("parse frontmatter YAML: line " + std::to_string(value.line) + ": " + name(value.key) + " must be " + std::string(wanted));
}

std::string field_reader::text(std::string_view key)
{
    const auto* value = find(key);
    if (value == nullptr)
        return {};
    if (value->type != yaml_value::kind::scalar)
        wrong_type(*value, "a text");
    return value->text;
}

std::optional<std::int64_t> field_reader::number(std::string_view key, std::int64_t min, std::int64_t max)
{
    const auto* value = find(key);
    if (value == nullptr)
        return std::nullopt;
    if (const auto read = whole_number(json_of(*value)); read && *read >= min && *read <= max)
        return read;
    mistake(name(key) + " must be a whole number between " + std::to_string(min) + " and " + std::to_string(max));
    return std::nullopt;
}

std::optional<double> field_reader::decimal(std::string_view key, double min, double max)
{
    const auto* value = find(key);
    if (value == nullptr)
        return std::nullopt;
    const auto read = json_of(*value);
    const auto number = read.is_int64() ? static_cast<double>(read.get_int64()) : read.is_double() ? read.get_double() : min - 1;
    if (number >= min && number <= max)
        return number;
    mistake(name(key) + " must be a number between " + shortest(min) + " and " + shortest(max));
    return std::nullopt;
}

std::optional<bool> field_reader::flag(std::string_view key)
{
    const auto* value = find(key);
    if (value == nullptr)
        return std::nullopt;
    const auto read = json_of(*value);
    if (read.is_bool())
        return read.get_bool();
    mistake(name(key) + " must be true or false");
    return std::nullopt;
}

std::optional<std::int64_t> field_reader::milliseconds(std::string_view key, std::int64_t min, std::int64_t max)
{
    const auto said = text(key);
    if (said.empty())
        return std::nullopt;
    const auto duration = parse_duration(said);
    if (duration.has_error()) {
        mistake("parse " + name(key) + " " + in_quotes(said) + ": " + duration.error().detail);
        return std::nullopt;
    }
    if (*duration >= std::chrono::milliseconds(min) && *duration <= std::chrono::milliseconds(max))
        return std::chrono::duration_cast<std::chrono::milliseconds>(*duration).count();
    mistake(name(key) + " " + in_quotes(said) + " must be between " + of_milliseconds(min) + " and " + of_milliseconds(max));
    return std::nullopt;
}

std::vector<std::string> field_reader::texts(std::string_view key, std::size_t max_count, std::size_t max_bytes)
{
    const auto* value = find(key);
    if (value == nullptr || value->type == yaml_value::kind::map) {
        if (value != nullptr)
            wrong_type(*value, "a list of texts");
        return {};
    }
    std::vector<std::string> texts;
    if (value->type == yaml_value::kind::scalar)
        texts.push_back(value->text);
    for (const auto& each : value->items) {
        if (each.type != yaml_value::kind::scalar)
            wrong_type(*value, "a list of texts");
        texts.push_back(each.text);
    }
    const bool long_one = std::ranges::any_of(texts, [&](const auto& each) { return each.empty() || each.size() > max_bytes; });
    if (texts.empty() || texts.size() > max_count || long_one)
        mistake(name(key) + " must be a list of 1 to " + std::to_string(max_count) + " texts of 1 to " + std::to_string(max_bytes) +
                " bytes each");
    return texts;
}

const yaml_value* field_reader::map(std::string_view key)
{
    const auto* value = find(key);
    if (value == nullptr || value->type == yaml_value::kind::map)
        return value;
    wrong_type(*value, "a map");
    return nullptr;
}

std::vector<std::string> field_reader::unknown(std::initializer_list<std::string_view> known) const
{
    std::vector<std::string> names;
    for (const auto& each : map_.items)
        if (std::ranges::find(known, each.key) == known.end())
            names.push_back(name(each.key));
    return names;
}

}    // namespace caisson
