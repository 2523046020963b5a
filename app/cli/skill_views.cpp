#include "app/cli/skill_views.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/quantities.hpp"
#include "app/cli/record_view.hpp"
#include "app/cli/schema_view.hpp"
#include "app/cli/text_table.hpp"
#include "app/cli/views.hpp"
#include "core/base/clock.hpp"

namespace caisson::cli {

namespace {

constexpr std::size_t widest_told_line = 200;

text_table::cell skill_state(const boost::json::object& row)
{
    return is_true(row, "disabled") ? text_table::cell{"disabled", colour::yellow} : text_table::cell{"available", colour::green};
}

/// Lines of an untrusted text, without characters that could control the terminal.
std::string plain_lines(const std::string& text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        out += one_line(text.substr(at, end - at), widest_told_line) + "\n";
        at = end + 1;
    }
    return out;
}

}    // namespace

std::string skills_table(const boost::json::array& rows, std::int64_t now_ms, bool colours, std::size_t columns)
{
    text_table table({"NAME", "VERSION", "LANG", "STATE", "UPLOADED", "DESCRIPTION"});
    for (const auto& each : rows) {
        if (!each.is_object())
            continue;
        const auto& row = each.get_object();
        table.add({{one_line(text_of(row, "name"), 40)}, {one_line(text_of(row, "version"), 24)}, {one_line(text_of(row, "lang"), 12)},
            skill_state(row), {age_text(text_of(row, "uploaded_at"), now_ms)}, {one_line(text_of(row, "description"), 80)}});
    }
    table.fit(columns, {"UPLOADED", "LANG", "STATE"});
    return table.str(colours);
}

std::string skill_text(const boost::json::object& skill, bool colours)
{
    auto record = skill;
    for (const auto* apart : {"instructions", "inputs", "outputs"})
        record.erase(apart);
    auto text = record_text(record, colours);
    for (const auto* name : {"inputs", "outputs"})
        if (const auto* schema = skill.if_contains(name); schema != nullptr && !schema->is_null())
            text += "\n" + schema_text(name, *schema, colours);
    if (const auto instructions = text_of(skill, "instructions"); !instructions.empty())
        text += "\n" + plain_lines(instructions);
    return text;
}

std::string artifacts_table(const boost::json::array& items, bool colours)
{
    text_table table({"SIZE", "TYPE", "STATE", "SHA256", "PATH"});
    for (const auto& each : items) {
        if (!each.is_object())
            continue;
        const auto& item = each.get_object();
        const bool partial = is_true(item, "partial");
        table.add({{size_text(item, "size_bytes")}, {one_line(text_of(item, "media_type"), 40)},
            {partial ? "partial" : "whole", partial ? colour::yellow : colour::green},
            {one_line(text_of(item, "sha256").substr(0, 12), 12)}, {one_line(text_of(item, "path"), 200)}});
    }
    return table.str(colours);
}

}    // namespace caisson::cli
