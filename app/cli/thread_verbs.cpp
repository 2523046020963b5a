// thread ls, log, show, diff, rollback, branch and rm.

#include "app/cli/steering.hpp"
#include "app/cli/text_table.hpp"
#include "app/cli/thread_address.hpp"
#include "app/cli/thread_views.hpp"
#include "app/cli/with_session.hpp"
#include "core/threads/json_members.hpp"
#include "core/threads/state_text.hpp"

#include <unistd.h>

#include <algorithm>

namespace caisson::cli {

namespace json = boost::json;

namespace {

constexpr std::int64_t page = 200;

struct listed {
    json::array items;
    bool is_cut = false;    // there are more
};

/// All pages of a list in order, at most `limit` items. Errors: those of the server; errc::bad_request if the answer is no list.
task<result<listed>> all_pages(client_session* session, std::string target, std::int64_t limit)
{
    listed all;
    auto& items = all.items;
    for (std::string cursor;;) {
        const auto most = std::min(page, limit - static_cast<std::int64_t>(items.size()));
        const auto more = cursor.empty() ? std::string() : "&cursor=" + net::percent_encode(cursor);
        auto answer = co_await session->api().get(target + "?limit=" + std::to_string(most) + more);
        if (answer.has_error())
            co_return answer.error();
        const auto* object = answer->if_object();
        const auto* found = object == nullptr ? nullptr : object->if_contains("items");
        if (found == nullptr || !found->is_array())
            co_return error{errc::bad_request, "the server's list cannot be read"};
        items.insert(items.end(), found->get_array().begin(), found->get_array().end());
        cursor = text_of(*object, "next_cursor");
        all.is_cut = !cursor.empty();
        if (!all.is_cut || static_cast<std::int64_t>(items.size()) >= limit)
            co_return all;
    }
}

/// Prints the answer as JSON, or the text that `line` makes of it.
template <class Line>
int told(const result<json::value>& answer, output_format format, Line line)
{
    if (answer.has_error())
        return complain(answer.error(), exit_status::failed);
    if (format == output_format::json || !answer->is_object())
        print_json(*answer);
    else
        print(line(answer->get_object()));
    return exit_status::ok;
}

std::string id_line(const json::object& from, std::string_view name) { return one_line(text_of(from, name), 200) + "\n"; }

task<int> list_threads(client_session* session, thread_list_options options, bool colours, std::size_t columns)
{
    const auto found = co_await all_pages(session, "/v1/threads", std::numeric_limits<std::int64_t>::max());
    if (found.has_error())
        co_return complain(found.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(found->items);
    else
        print(threads_table(found->items, session->time().now_ms(), colours, columns));
    co_return exit_status::ok;
}

task<int> log(client_session* session, thread_log_options options, bool colours)
{
    const auto found = co_await all_pages(session, thread_address(options.thread) + "/checkpoints", options.limit);
    if (found.has_error())
        co_return complain(found.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(found->items);
    else
        print(thread_log(found->items, session->time().now_ms(), colours));
    if (found->is_cut)
        complain("there are older checkpoints: --limit shows more than " + std::to_string(options.limit));
    co_return exit_status::ok;
}

/// JSON as the server wrote it; on a terminal without characters that could control it.
std::string json_line(const std::string& bytes) { return (::isatty(STDOUT_FILENO) == 1 ? json_for_terminal(bytes) : bytes) + "\n"; }

/// Prints the server's bytes unchanged: numbers are not parsed and written again.
task<int> show_checkpoint(client_session* session, thread_show_options options)
{
    const bool whole = options.client.output == output_format::json;
    auto from = checkpoint_address(options.thread, options.checkpoint) + (whole ? "" : "/state");
    const auto found = co_await session->api().get_content(std::move(from));
    if (found.has_error())
        co_return complain(found.error(), exit_status::failed);
    const bool is_json = found->media_type == "application/json";
    print(is_json ? json_line(found->bytes) : found->bytes);
    co_return exit_status::ok;
}

/// The patch as text; empty if the answer is not a diff. Numbers are not parsed and written again.
std::optional<std::string> text_of_diff(std::string_view answer, bool colours)
{
    state_canonicalizer canonicalizer({.max_bytes = 256 << 20, .max_depth = 300});
    const auto canonical = canonicalizer.canonical(answer);
    if (canonical.has_error())
        return std::nullopt;
    const json_members members(*canonical);
    const auto patch = members.raw("patch");
    return patch && patch->starts_with('[') ? std::optional(patch_text(*patch, colours)) : std::nullopt;
}

task<int> diff(client_session* session, thread_diff_options options, bool colours)
{
    const auto query = "?from=" + net::percent_encode(options.from) + "&to=" + net::percent_encode(options.to);
    const auto found = co_await session->api().get_content(thread_address(options.thread) + "/diff" + query);
    if (found.has_error())
        co_return complain(found.error(), exit_status::failed);
    const auto text =
        options.client.output == output_format::json ? std::optional(json_line(found->bytes)) : text_of_diff(found->bytes, colours);
    if (!text)
        co_return complain({errc::bad_request, "the server's answer cannot be read"}, exit_status::failed);
    print(*text);
    co_return exit_status::ok;
}

task<int> roll_back(client_session* session, thread_rollback_options options)
{
    json::object body{{"checkpoint_id", options.checkpoint}, {"mode", options.truncate ? "truncate" : "append"}};
    const auto answer = co_await session->api().post(thread_address(options.thread) + "/rollback", std::move(body));
    co_return told(answer, options.client.output, [](const json::object& done) {
        const auto* latest = done.if_contains("latest");
        return (latest != nullptr && latest->is_object() ? id_line(latest->get_object(), "id") : std::string());
    });
}

task<int> branch(client_session* session, thread_branch_options options)
{
    json::object body{{"thread", options.name}};
    if (!options.checkpoint.empty() && options.checkpoint != "latest")
        body["checkpoint_id"] = options.checkpoint;
    const auto answer = co_await session->api().post(thread_address(options.thread) + "/branch", std::move(body));
    co_return told(answer, options.client.output, [](const json::object& made) { return id_line(made, "latest_id"); });
}

task<int> remove_thread(client_session* session, thread_remove_options options)
{
    const auto done = co_await session->api().remove(thread_address(options.thread));
    if (done.has_error())
        co_return complain(done.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json({{"removed", options.thread}});
    co_return exit_status::ok;
}

std::vector<std::string> without_repeats(const std::vector<std::string>& all)
{
    std::vector<std::string> kept;
    for (const auto& each : all)
        if (std::ranges::find(kept, each) == kept.end())
            kept.push_back(each);
    return kept;
}

/// Checks that all checkpoints exist before the first is removed.
task<result<void>> find_all(client_session* session, thread_remove_options options)
{
    for (const auto& each : options.checkpoints) {
        const auto found = co_await session->api().get(checkpoint_address(options.thread, each) + "?include=none");
        if (found.has_error())
            co_return found.error();
    }
    co_return result<void>();
}

task<int> remove_checkpoints(client_session* session, thread_remove_options options)
{
    const auto found = co_await find_all(session, options);
    if (found.has_error())
        co_return complain(found.error(), exit_status::failed);
    std::string removed;
    for (const auto& each : without_repeats(options.checkpoints)) {
        const auto done = co_await session->api().remove(checkpoint_address(options.thread, each));
        if (done.has_error()) {
            complain(removed.empty() ? "nothing was removed" : "removed before it:" + removed);
            co_return complain(done.error(), exit_status::failed);
        }
        removed += " " + each;
        if (options.client.output == output_format::json)
            print_json({{"removed", each}});
    }
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const thread_list_options& options, const verb_context& context)
{
    return with_session(
        options, context, [&](client_session* session) { return list_threads(session, options, context.colours, context.columns); });
}

int run_verb(const thread_log_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return log(session, options, context.colours); });
}

int run_verb(const thread_show_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return show_checkpoint(session, options); });
}

int run_verb(const thread_diff_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return diff(session, options, context.colours); });
}

int run_verb(const thread_rollback_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return roll_back(session, options); });
}

int run_verb(const thread_branch_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return branch(session, options); });
}

int run_verb(const thread_remove_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) {
        return options.checkpoints.empty() ? remove_thread(session, options) : remove_checkpoints(session, options);
    });
}

}    // namespace caisson::cli
