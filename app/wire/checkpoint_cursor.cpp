#include "app/wire/checkpoint_cursor.hpp"

#include "core/base/base64.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace caisson::wire {

namespace {

constexpr std::size_t longest_place = 512;
constexpr std::string_view place_version = "2.";
constexpr std::int64_t last_position = 9'007'199'254'740'991;    // limit on positions in all threads
constexpr std::array<std::string_view, 7> conditions{"order", "after", "before", "step", "node_id", "tag", "custom"};

bool says(std::string_view parameter, std::string_view text, std::string_view condition)
{
    if (condition == "custom")
        return parameter.starts_with("custom.");
    return parameter == condition && !(parameter == "order" && text == "desc");    // the default order is no condition
}

/// FNV-1a: detects a changed query, is no protection against forgery.
std::uint32_t mixed(std::uint32_t hash, std::string_view text)
{
    for (const unsigned char each : text)
        hash = (hash ^ each) * 0x01000193U;
    return (hash ^ 0xffU) * 0x01000193U;
}

/// A dot and the hash of one condition; only the dot if the query does not have it.
std::string mark_of(const query_parameters& query, std::string_view condition)
{
    std::vector<std::string> said;
    for (const auto& [name, text] : query)
        if (says(name, text, condition))
            said.push_back(name + "=" + text);
    if (said.empty())
        return ".";
    std::ranges::sort(said);
    std::uint32_t hash = 0x811c9dc5U;
    for (const auto& each : said)
        hash = mixed(hash, each);
    return "." + std::to_string(hash);
}

}    // namespace

std::string checkpoints_cursor(const query_parameters& query, std::int64_t position)
{
    auto text = std::string(place_version) + std::to_string(position);
    for (const auto& condition : conditions)
        text += mark_of(query, condition);
    return base64url_encode(text);
}

std::optional<checkpoint_cursor> parse_checkpoints_cursor(std::string_view text)
{
    const auto plain = text.size() > longest_place ? std::nullopt : base64url_decode(text);
    if (!plain || !plain->starts_with(place_version))
        return std::nullopt;
    checkpoint_cursor found;
    const auto* const begin = plain->data() + place_version.size();
    const auto* const end = plain->data() + plain->size();
    const auto [behind, failure] = std::from_chars(begin, end, found.position);
    if (failure != std::errc() || found.position < 1 || found.position > last_position)
        return std::nullopt;
    found.conditions.assign(behind, end);
    const auto marks = std::ranges::count(found.conditions, '.');
    const bool has_all = found.conditions.starts_with('.') && std::cmp_equal(marks, conditions.size());
    return has_all ? std::optional(std::move(found)) : std::nullopt;
}

std::string_view changed_condition(const checkpoint_cursor& cursor, const query_parameters& query)
{
    std::string_view rest = cursor.conditions;
    for (const auto& condition : conditions) {
        const auto mark = rest.substr(0, rest.find('.', 1));
        if (mark != mark_of(query, condition))
            return condition;
        rest.remove_prefix(mark.size());
    }
    return rest.empty() ? std::string_view() : "cursor";
}

}    // namespace caisson::wire
