#include "app/wire/thread_query.hpp"

#include "app/wire/checkpoint_cursor.hpp"
#include "app/wire/query_reader.hpp"
#include "core/base/base64.hpp"
#include "core/base/clock.hpp"
#include "core/threads/rules.hpp"

namespace caisson::wire {

namespace {

constexpr std::size_t most_conditions = 20;
constexpr std::size_t longest_name_cursor = 512;
constexpr std::string_view name_cursor_version = "1.";
constexpr auto bound_message = "must be an RFC 3339 time such as 2026-01-31T12:00:00.000Z, or the id of a checkpoint of this thread";
constexpr auto parts_message = R"(must be "none", or some of "execution", "artifacts" and "state" with commas between)";

std::optional<std::string> cursor_text(std::string_view cursor)
{
    auto text = cursor.size() > longest_name_cursor ? std::nullopt : base64url_decode(cursor);
    if (!text || !text->starts_with(name_cursor_version))
        return std::nullopt;
    return text->substr(name_cursor_version.size());
}

std::optional<thread_name> parse_thread_cursor(std::string_view cursor)
{
    auto text = cursor_text(cursor);
    return text && !check_thread_name(*text) ? std::optional(thread_name(std::move(*text))) : std::nullopt;
}

std::optional<checkpoint_bound> parse_bound(std::string_view text)
{
    if (const auto time = from_rfc3339(text))
        return *time;
    if (check_checkpoint_id(text))
        return std::nullopt;
    return checkpoint_id::from_trusted(std::string(text));
}

std::optional<list_order> parse_order(std::string_view text)
{
    return text == "asc"    ? std::optional(list_order::oldest_first)
           : text == "desc" ? std::optional(list_order::newest_first)
                            : std::nullopt;
}

std::optional<checkpoint_parts> parse_parts(std::string_view text)
{
    checkpoint_parts parts{false, false, false};
    if (text == "none")
        return parts;
    for (;;) {
        const auto comma = text.find(',');
        const auto word = text.substr(0, comma);
        auto* const part = word == "state"       ? &parts.state
                           : word == "execution" ? &parts.execution
                           : word == "artifacts" ? &parts.artifacts
                                                 : nullptr;
        if (part == nullptr)
            return std::nullopt;
        *part = true;
        if (comma == std::string_view::npos)
            return parts;
        text.remove_prefix(comma + 1);
    }
}

std::optional<checkpoint_id> parse_checkpoint_place(std::string_view text)
{
    return check_checkpoint_id(text) ? std::nullopt : std::optional(checkpoint_id::from_trusted(std::string(text)));
}

/// Nullopt for "latest".
std::optional<checkpoint_id> not_latest(std::optional<checkpoint_id> id)
{
    return id && id->str() == "latest" ? std::nullopt : std::move(id);
}

metadata_filter read_metadata_filter(query_reader& reader)
{
    metadata_filter out;
    out.step = reader.integer("step", -thread_bounds::step, thread_bounds::step);
    if (const auto* node = reader.take("node_id"))
        out.node_id = *node;
    out.tags = reader.take_all("tag");
    auto custom = reader.take_prefixed("custom.");
    if (out.tags.size() + custom.size() > most_conditions) {
        reader.problem("tag", "and custom.… may be given " + std::to_string(most_conditions) + " times together");
        return out;
    }
    for (auto& [name, value] : custom)
        out.custom.push_back(condition_on(name, std::move(value)));
    return out;
}

/// Refuses a cursor of another query, which would skip unlisted rows.
std::optional<std::int64_t> read_cursor(query_reader& reader, const query_parameters& query)
{
    const auto cursor = reader.parsed("cursor", &parse_checkpoints_cursor, "is not a cursor of a list of checkpoints");
    if (!cursor)
        return std::nullopt;
    if (const auto changed = changed_condition(*cursor, query); !changed.empty())
        reader.problem(changed, "is not what it was in the request that gave the cursor: a cursor goes on with the same list");
    return cursor->position;
}

}    // namespace

result<checkpoint_parts> parse_checkpoint_query(const query_parameters& query)
{
    query_reader reader(query);
    auto parts = reader.parsed("include", &parse_parts, parts_message);
    if (parts && (parts->execution || parts->artifacts))
        parts->state = true;
    return reader.finish(parts.value_or(checkpoint_parts()));
}

result<checkpoint_filter> parse_checkpoints_query(const query_parameters& query)
{
    query_reader reader(query);
    checkpoint_filter out;
    out.after = reader.parsed("after", &parse_bound, bound_message);
    out.before = reader.parsed("before", &parse_bound, bound_message);
    out.order = reader.parsed("order", &parse_order, R"(must be "asc" or "desc")").value_or(list_order::newest_first);
    out.beyond = read_cursor(reader, query);
    out.limit = static_cast<std::size_t>(reader.integer("limit", 1, max_page).value_or(50));
    out.metadata = read_metadata_filter(reader);
    if (const auto parts = reader.parsed("include", &parse_parts, R"(must be "state" or "none")")) {
        out.with_states = parts->state;
        if (parts->execution || parts->artifacts)
            reader.problem("include", R"(must be "state" or "none" in a list)");
    }
    return reader.finish(std::move(out));
}

result<threads_query> parse_threads_query(const query_parameters& query)
{
    query_reader reader(query);
    threads_query out;
    out.after = reader.parsed("cursor", &parse_thread_cursor, "is not a cursor of a list of threads").value_or(thread_name());
    out.limit = static_cast<std::size_t>(reader.integer("limit", 1, max_page).value_or(50));
    return reader.finish(std::move(out));
}

std::string threads_cursor(const thread_name& last) { return base64url_encode(std::string(name_cursor_version) + last.str()); }

result<diff_query> parse_diff_query(const query_parameters& query)
{
    query_reader reader(query);
    diff_query out;
    for (const auto* name : {"from", "to"}) {
        auto id = reader.parsed(name, &parse_checkpoint_place, "must be the id of a checkpoint, or \"latest\"");
        const bool is_to = name == std::string_view("to");
        if (!id && !is_to && reader.take(name) == nullptr)
            reader.problem(name, "is required");
        (is_to ? out.to : out.from) = not_latest(std::move(id));
    }
    return reader.finish(std::move(out));
}

}    // namespace caisson::wire
