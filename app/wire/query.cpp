#include "app/wire/query.hpp"

#include "app/wire/query_reader.hpp"
#include "core/base/base64.hpp"
#include "core/base/clock.hpp"

namespace caisson::wire {

namespace {

constexpr std::string_view list_cursor_version = "1.";

std::optional<std::pair<std::string, std::string>> parse_label(std::string_view text)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return std::nullopt;
    return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

std::optional<execution_id> parse_list_cursor(std::string_view cursor)
{
    constexpr std::size_t longest = 128;
    const auto text = cursor.size() > longest ? std::nullopt : base64url_decode(cursor);
    if (!text || !text->starts_with(list_cursor_version))
        return std::nullopt;
    return execution_id::parse(std::string_view(*text).substr(list_cursor_version.size()));
}

std::optional<bool> parse_include(std::string_view text)
{
    return text == "output" ? std::optional(true) : text == "none" ? std::optional(false) : std::nullopt;
}

std::optional<bool> parse_flag(std::string_view text)
{
    return text == "1" || text == "true" ? std::optional(true) : text == "0" || text == "false" ? std::optional(false) : std::nullopt;
}

std::optional<frame_format> parse_format(std::string_view text)
{
    return text == "json" ? std::optional(frame_format::json) : text == "binary" ? std::optional(frame_format::binary) : std::nullopt;
}

constexpr auto include_message = R"(must be "output" or "none")";
constexpr auto time_message = "must be an RFC 3339 time such as 2026-01-31T12:00:00.000Z";
constexpr auto format_message = R"(must be "json" or "binary")";

}    // namespace

result<list_query> parse_list_query(const query_parameters& query)
{
    query_reader reader(query);
    list_query out;
    auto& filter = out.filter;
    filter.status =
        reader.parsed("status", &execution_status_from, "must be one of queued, running, success, failed, timeout, cancelled, interrupted");
    filter.kind = reader.parsed("kind", &execution_kind_from, "must be one of command, shell, code, skill");
    filter.label = reader.parsed("label", &parse_label, "must be name=value");
    filter.created_from_ms = reader.parsed("created_from", &from_rfc3339, time_message);
    filter.created_before_ms = reader.parsed("created_before", &from_rfc3339, time_message);
    filter.before = reader.parsed("cursor", &parse_list_cursor, "is not a cursor of a list");
    filter.limit = static_cast<std::size_t>(reader.integer("limit", 1, max_page).value_or(50));
    out.include_output = reader.parsed("include", &parse_include, include_message).value_or(false);
    if (const auto* skill = reader.take("skill"))
        filter.skill = *skill;
    reader.later("sandbox_id");
    return reader.finish(std::move(out));
}

result<get_query> parse_get_query(const query_parameters& query)
{
    query_reader reader(query);
    get_query out;
    out.wait = std::chrono::milliseconds(reader.integer("wait_ms", 0, max_wait.count()).value_or(0));
    out.include_output = reader.parsed("include", &parse_include, include_message).value_or(true);
    return reader.finish(out);
}

result<events_query> parse_events_query(const query_parameters& query)
{
    query_reader reader(query);
    events_query out;
    out.after = reader.parsed("after", &from_cursor, "is not a cursor");
    out.follow = reader.parsed("follow", &parse_flag, "must be 0 or 1").value_or(false);
    return reader.finish(out);
}

result<stream_query> parse_stream_query(const query_parameters& query)
{
    query_reader reader(query);
    stream_query out;
    out.after = reader.parsed("after", &from_cursor, "is not a cursor").value_or(log_position{});
    out.frames = reader.parsed("frames", &parse_format, format_message).value_or(frame_format::json);
    return reader.finish(out);
}

result<frame_format> parse_connect_query(const query_parameters& query)
{
    query_reader reader(query);
    const auto format = reader.parsed("frames", &parse_format, format_message);
    return reader.finish(format.value_or(frame_format::json));
}

result<void> parse_no_query(const query_parameters& query)
{
    query_reader reader(query);
    const auto checked = reader.finish(true);
    if (!checked)
        return checked.error();
    return {};
}

std::string list_cursor(const execution_id& last) { return base64url_encode(std::string(list_cursor_version) + last.str()); }

}    // namespace caisson::wire
