#include "app/cli/text_table.hpp"

#include "app/cli/steering.hpp"
#include "core/base/utf8.hpp"

#include <algorithm>
#include <numeric>

namespace caisson::cli {

namespace {

constexpr std::size_t least_last = 16;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// Counts the characters of valid UTF-8; wide ones count as one column.
std::size_t columns_of(std::string_view text) { return static_cast<std::size_t>(std::ranges::count_if(text, begins_character)); }

std::string_view sequence(colour how)
{
    switch (how) {
    case colour::none: return "";
    case colour::bold: return "\x1b[1m";
    case colour::red: return "\x1b[31m";
    case colour::green: return "\x1b[32m";
    case colour::yellow: return "\x1b[33m";
    case colour::grey: return "\x1b[90m";
    }
    return "";
}

std::string_view first_columns(std::string_view text, std::size_t columns)
{
    std::size_t seen = 0;
    for (std::size_t at = 0; at < text.size(); ++at)
        if (begins_character(text[at]) && seen++ == columns)
            return text.substr(0, at);
    return text;
}

}    // namespace

std::string coloured(std::string_view text, colour how, bool enabled)
{
    if (!enabled || how == colour::none || text.empty())
        return std::string(text);
    return std::string(sequence(how)) + std::string(text) + "\x1b[0m";
}

std::string one_line(std::string_view text, std::size_t width)
{
    auto line = to_valid_utf8(text);
    for (std::size_t at = 0; at < line.size(); ++at)
        if (const auto bytes = steering_bytes(std::string_view(line).substr(at)); bytes > 0)
            line.replace(at, bytes, " ");
    if (columns_of(line) <= width)
        return line;
    return std::string(first_columns(line, width - 1)) + "…";
}

std::vector<std::size_t> text_table::widths() const
{
    std::vector<std::size_t> widths;
    for (const auto& title : titles_)
        widths.push_back(columns_of(title));
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columns_of(row[i].text));
    return widths;
}

void text_table::fit(std::size_t columns, std::vector<std::string> droppable)
{
    const auto before_last = [this] {
        const auto all = widths();
        return std::accumulate(all.begin(), all.end() - 1, 2 * (all.size() - 1));
    };
    const auto is_wide = [&] { return before_last() + std::min(widths().back(), least_last) > columns; };
    for (std::size_t i = 0; columns != 0 && i < droppable.size() && is_wide(); ++i) {
        const auto at = std::ranges::find(titles_, droppable[i]) - titles_.begin();
        titles_.erase(titles_.begin() + at);
        for (auto& row : rows_)
            row.erase(row.begin() + at);
    }
    if (columns == 0)
        return;
    const auto left = columns > before_last() + least_last ? columns - before_last() : least_last;
    for (auto& row : rows_)
        row.back().text = one_line(row.back().text, left);
}

std::string text_table::str(bool colours) const
{
    const auto all = widths();
    std::string text;
    const auto put = [&](std::size_t i, std::string_view value, colour how) {
        text += coloured(value, how, colours);
        text += i + 1 == all.size() ? "\n" : std::string(all[i] - columns_of(value) + 2, ' ');
    };
    for (std::size_t i = 0; i < titles_.size(); ++i)
        put(i, titles_[i], colour::bold);
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            put(i, row[i].text, row[i].how);
    return text;
}

}    // namespace caisson::cli
