#include "app/cli/schema_view.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/text_table.hpp"
#include "core/base/plain_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace caisson::cli {

namespace {

constexpr std::size_t widest_flat = 76;
constexpr std::size_t widest_nested = 40;
constexpr std::size_t widest_cell = 300;

bool is_one_of(std::string_view name, std::span<const std::string_view> names) { return std::ranges::find(names, name) != names.end(); }

bool is_flat(const boost::json::value& value)
{
    const auto is_plain = [](const boost::json::value& value) { return !value.is_object() && !value.is_array(); };
    if (const auto* list = value.if_array())
        return std::ranges::all_of(*list, is_plain);
    if (const auto* object = value.if_object())
        return std::ranges::all_of(*object, [&](const auto& member) { return is_plain(member.value()); });
    return true;
}

void put_indented(std::string& to, const boost::json::value& value, std::size_t level)
{
    const auto flat = plain_json(value);
    if (flat.size() <= widest_nested || (is_flat(value) && flat.size() + 2 * level <= widest_flat)) {
        to += flat;
        return;
    }
    const std::string begin = "\n" + std::string(2 * level + 2, ' ');
    std::string_view comma;
    const auto put = [&](const std::string& name, const boost::json::value& value) {
        to += std::string(std::exchange(comma, ",")) + begin + name;
        put_indented(to, value, level + 1);
    };
    const bool is_object = value.is_object();
    to += is_object ? "{" : value.is_array() ? "[" : flat;
    if (is_object)
        for (const auto& member : value.get_object())
            put(boost::json::serialize(boost::json::string(member.key())) + ": ", member.value());
    else if (value.is_array())
        for (const auto& each : value.get_array())
            put("", each);
    else
        return;
    to += "\n" + std::string(2 * level, ' ') + (is_object ? "}" : "]");
}

std::string joined(const boost::json::array& list, std::string_view between)
{
    std::string text;
    for (const auto& each : list)
        text += (text.empty() ? "" : std::string(between)) + (each.is_string() ? std::string(each.get_string()) : plain_json(each));
    return text;
}

std::string type_of(const boost::json::object& property)
{
    const auto* type = property.if_contains("type");
    if (type == nullptr)
        return "any";
    if (type->is_array())
        return joined(type->get_array(), "|");
    auto text = text_of(property, "type");
    const auto* items = property.if_contains("items");
    if (const auto* of = items != nullptr ? items->if_object() : nullptr; text == "array" && of != nullptr)
        text += " of " + type_of(*of);
    return text;
}

/// The description of a property, then its further constraints.
std::string description_of(const boost::json::object& property)
{
    constexpr std::array<std::string_view, 4> elsewhere{"type", "description", "title", "items"};
    std::string more;
    for (const auto& member : property)
        if (!is_one_of(member.key(), elsewhere)) {
            const bool is_choice = member.key() == "enum" && member.value().is_array();
            more += (more.empty() ? "" : ", ") + (is_choice ? "one of " + joined(member.value().get_array(), ", ")
                                                            : std::string(member.key()) + " " + plain_json(member.value()));
        }
    auto text = text_of(property, "description");
    if (text.empty())
        text = text_of(property, "title");
    return text + (text.empty() || more.empty() ? more : " (" + more + ")");
}

/// True if a table row can say everything about the property.
bool fits_a_row(const boost::json::value& schema)
{
    const auto* property = schema.if_object();
    if (property == nullptr)
        return false;
    return std::ranges::all_of(*property, [](const auto& member) {
        if (member.key() != "items")
            return is_flat(member.value()) && !member.value().is_object();
        const auto* items = member.value().if_object();
        return items != nullptr && items->size() == 1 && items->contains("type");
    });
}

bool is_required(const boost::json::object& schema, std::string_view name)
{
    const auto* required = schema.if_contains("required");
    const auto* list = required != nullptr ? required->if_array() : nullptr;
    return list != nullptr &&
           std::ranges::any_of(*list, [name](const auto& each) { return each.is_string() && each.get_string() == name; });
}

const boost::json::object* properties_of(const boost::json::value& schema)
{
    const auto* object = schema.if_object();
    const auto* properties = object != nullptr ? object->if_contains("properties") : nullptr;
    const auto* found = properties != nullptr ? properties->if_object() : nullptr;
    return found != nullptr && !found->empty() ? found : nullptr;
}

/// True if a table of its properties says everything about the schema.
bool fits_a_table(const boost::json::object& schema, const boost::json::object& properties)
{
    constexpr std::array<std::string_view, 6> known{"type", "properties", "required", "title", "description", "$schema"};
    for (const auto& member : schema) {
        const bool closed = member.key() == "additionalProperties" && member.value().is_bool();
        if (!closed && !is_one_of(member.key(), known))
            return false;
    }
    if (const auto* required = schema.if_contains("required"); required != nullptr && required->is_array())
        for (const auto& name : required->get_array())
            if (!name.is_string() || !properties.contains(name.get_string()))
                return false;
    return std::ranges::all_of(properties, [](const auto& member) { return fits_a_row(member.value()); });
}

std::string table_of(const boost::json::object& schema, const boost::json::object& properties, bool colours)
{
    text_table table({"NAME", "TYPE", "REQUIRED", "DESCRIPTION"});
    for (const auto& member : properties) {
        const auto* property = member.value().if_object();
        const boost::json::object none;
        const auto& from = property != nullptr ? *property : none;
        table.add({{one_line(member.key(), 60)}, {one_line(type_of(from), 40)}, {is_required(schema, member.key()) ? "yes" : "no"},
            {one_line(
                property != nullptr && fits_a_row(member.value()) ? description_of(from) : text_of(from, "description"), widest_cell)}});
    }
    return table.str(colours);
}

/// Indented JSON without characters that could control the terminal.
std::string json_lines(const boost::json::value& schema)
{
    const auto text = indented(schema);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        out += one_line(text.substr(at, end - at), text.size()) + "\n";
        at = end + 1;
    }
    return out;
}

}    // namespace

std::string indented(const boost::json::value& value)
{
    std::string text;
    put_indented(text, value, 0);
    return text;
}

std::string schema_text(std::string_view title, const boost::json::value& schema, bool colours)
{
    auto text = coloured(title, colour::bold, colours);
    const auto* properties = properties_of(schema);
    if (properties == nullptr)
        return text + "\n" + json_lines(schema);
    const auto& object = schema.get_object();
    const auto* more = object.if_contains("additionalProperties");
    text += more != nullptr && *more == false ? " (nothing else)\n" : "\n";
    text += table_of(object, *properties, colours);
    if (!fits_a_table(object, *properties))
        text += json_lines(schema);
    return text;
}

}    // namespace caisson::cli
