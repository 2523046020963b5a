#include "app/cli/record_view.hpp"

#include "app/cli/exit_status.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace caisson::cli {

namespace {

constexpr std::size_t widest_value = 400;
constexpr std::size_t least_label = 18;

std::string decimal(double value)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    return text.data();
}

/// A record's value as text; empty if it holds nothing.
std::string shown(const boost::json::value& value)
{
    if (value.is_null() || (value.is_array() && value.get_array().empty()) || (value.is_object() && value.get_object().empty()))
        return {};
    if (value.is_string())
        return std::string(value.get_string());
    if (value.is_array()) {
        std::string text;
        for (const auto& item : value.get_array())
            text += (text.empty() ? "" : ", ") + shown(item);
        return text;
    }
    if (value.is_object()) {
        std::string text;
        for (const auto& member : value.get_object())
            if (const auto inner = shown(member.value()); !inner.empty())
                text += (text.empty() ? "" : ", ") + std::string(member.key()) + " " + inner;
        return text;
    }
    return value.is_double() ? decimal(value.get_double()) : boost::json::serialize(value);
}

bool is_output(std::string_view name)
{
    constexpr std::array<std::string_view, 4> names{"stdout", "stderr", "logs", "output"};
    return std::ranges::find(names, name) != names.end();
}

bool is_list_of_objects(const boost::json::value& value)
{
    const auto* list = value.if_array();
    return list != nullptr && !list->empty() && std::ranges::all_of(*list, [](const auto& each) { return each.is_object(); });
}

struct record_line {
    std::string label;
    std::string value;
};

void add_line(std::vector<record_line>& to, std::string label, const std::string& value)
{
    if (!value.empty())
        to.push_back({std::move(label), one_line(value, widest_value)});
}

/// Adds a line for each item, the first with the label. A skipped file is "PATH: REASON".
void add_objects(std::vector<record_line>& to, std::string label, const boost::json::array& items)
{
    for (const auto& each : items) {
        const auto& attempt = each.get_object();
        const bool is_skipped = attempt.size() == 2 && attempt.contains("path") && attempt.contains("reason");
        add_line(to, std::exchange(label, ""), is_skipped ? text_of(attempt, "path") + ": " + text_of(attempt, "reason") : shown(each));
    }
}

/// Adds a line with an object's plain members, then its lists of objects.
void add_object(std::vector<record_line>& to, const std::string& label, const boost::json::object& value)
{
    boost::json::object plain;
    for (const auto& member : value)
        if (!is_list_of_objects(member.value()))
            plain[member.key()] = member.value();
    add_line(to, label, shown(plain));
    for (const auto& member : value)
        if (is_list_of_objects(member.value()))
            add_objects(to, "  " + std::string(member.key()), member.value().get_array());
}

std::vector<record_line> lines_of(const boost::json::object& record)
{
    std::vector<record_line> lines;
    for (const auto& member : record) {
        const std::string name(member.key());
        const auto& value = member.value();
        const bool one_attempt = name == "attempts" && value.is_array() && value.get_array().size() == 1;
        if (is_output(name) || one_attempt)    // a single attempt repeats the rest of the record
            continue;
        if (is_list_of_objects(value))
            add_objects(lines, name, value.get_array());
        else if (value.is_object())
            add_object(lines, name, value.get_object());
        else
            add_line(lines, name, shown(value));
    }
    return lines;
}

}    // namespace

colour colour_of_status(std::string_view status)
{
    if (status == "success")
        return colour::green;
    if (status == "queued" || status == "running")
        return colour::yellow;
    return colour::red;
}

std::string record_text(const boost::json::object& record, bool colours)
{
    const auto lines = lines_of(record);
    std::size_t width = least_label;
    for (const auto& each : lines)
        width = std::max(width, each.label.size() + 1);
    std::string text;
    for (auto each : lines) {
        const auto how = each.label == "status" ? colour_of_status(each.value) : colour::none;
        each.label.resize(width, ' ');
        text += coloured(each.label, colour::grey, colours) + coloured(each.value, how, colours) + "\n";
    }
    return text;
}

std::string stages_line(const boost::json::object& record)
{
    const auto* stages = record.if_contains("stages");
    std::string line;
    if (stages == nullptr || !stages->is_object())
        return line;
    for (const auto& member : stages->get_object()) {
        std::string name(member.key());
        if (name.ends_with("_ms"))
            name.resize(name.size() - 3);
        std::ranges::replace(name, '_', ' ');
        std::string value;
        if (member.value().is_number())
            value = decimal(member.value().to_number<double>()) + " ms";
        else if (const auto* word = member.value().if_string())
            value = *word;
        if (!value.empty())
            line += (line.empty() ? "" : ", ") + name + " " + value;
    }
    return line;
}

}    // namespace caisson::cli
