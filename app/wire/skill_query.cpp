#include "app/wire/skill_query.hpp"

#include "app/wire/query_reader.hpp"
#include "core/base/base64.hpp"

#include <charconv>
#include <vector>

namespace caisson::wire {

namespace {

constexpr std::string_view skill_cursor_version = "1\n";
constexpr std::size_t longest_skill_cursor = 512;
constexpr std::size_t longest_text = 256;

std::string encode(const std::string& text) { return base64url_encode(std::string(skill_cursor_version) + text); }

/// The lines of a cursor; nullopt unless there are `count`.
std::optional<std::vector<std::string>> decode(std::string_view cursor, std::size_t count)
{
    const auto text = cursor.size() > longest_skill_cursor ? std::nullopt : base64url_decode(cursor);
    if (!text || !text->starts_with(skill_cursor_version))
        return std::nullopt;
    std::vector<std::string> lines;
    auto rest = std::string_view(*text).substr(skill_cursor_version.size());
    for (;;) {
        const auto end = rest.find('\n');
        lines.emplace_back(rest.substr(0, end));
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    return lines.size() == count ? std::optional(std::move(lines)) : std::nullopt;
}

std::optional<std::pair<std::string, std::string>> parse_skill_cursor(std::string_view cursor)
{
    auto lines = decode(cursor, 2);
    if (!lines)
        return std::nullopt;
    return std::pair(std::move((*lines)[0]), std::move((*lines)[1]));
}

std::optional<skill_revision_place> parse_revision_place(std::string_view cursor)
{
    auto lines = decode(cursor, 3);
    if (!lines)
        return std::nullopt;
    skill_revision_place place{std::move((*lines)[0]), 0, std::move((*lines)[2])};
    const auto& digits = (*lines)[1];
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), place.uploaded_at_ms);
    return failed == std::errc() && end == digits.data() + digits.size() ? std::optional(std::move(place)) : std::nullopt;
}

std::optional<std::string> short_text(std::string_view text)
{
    return text.size() <= longest_text ? std::optional(std::string(text)) : std::nullopt;
}

std::size_t read_limit(query_reader& reader)
{
    return static_cast<std::size_t>(reader.integer("limit", 1, max_skill_rows).value_or(max_skill_rows));
}

constexpr auto long_message = "must be at most 256 bytes long";
constexpr auto cursor_message = "is not a cursor of this list";

}    // namespace

result<skill_filter> parse_skill_list_query(const query_parameters& query)
{
    query_reader reader(query);
    skill_filter out;
    out.text = reader.parsed("q", &short_text, long_message).value_or("");
    out.name = reader.parsed("name", &short_text, long_message).value_or("");
    out.after = reader.parsed("cursor", &parse_skill_cursor, cursor_message);
    out.limit = read_limit(reader);
    return reader.finish(std::move(out));
}

result<revisions_query> parse_revisions_query(const query_parameters& query)
{
    query_reader reader(query);
    revisions_query out;
    out.after = reader.parsed("cursor", &parse_revision_place, cursor_message);
    out.limit = read_limit(reader);
    return reader.finish(std::move(out));
}

std::string skill_list_cursor(const skill_version_row& last) { return encode(last.name + '\n' + last.version); }

std::string revisions_cursor(const skill_revision& last)
{
    return encode(last.manifest.version + '\n' + std::to_string(last.uploaded_at_ms) + '\n' + last.digest);
}

}    // namespace caisson::wire
