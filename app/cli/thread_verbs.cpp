// thread ls, log, show, diff, rollback, branch and rm.

#include "app/cli/thread_address.hpp"
#include "app/cli/thread_views.hpp"
#include "app/cli/with_session.hpp"

#include <algorithm>

namespace caisson::cli {

namespace json = boost::json;

namespace {

constexpr std::int64_t page = 200;

struct listed {
    json::array items;
    bool is_cut = false;    // there are more
};

/// Pages of a list, in their order, at most `limit` items. Errors: errc::bad_request for what is no list.
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

/// Prints the answer, or `line` of it.
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

task<int> list(client_session* session, thread_list_options options, bool colours, std::size_t columns)
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

/// As the server has it: its numbers are not read and written anew, and bytes stay as they are.
task<int> show(client_session* session, thread_show_options options)
{
    const bool whole = options.client.output == output_format::json;
    auto from = checkpoint_address(options.thread, options.checkpoint) + (whole ? "" : "/state");
    const auto found = co_await session->api().get_content(std::move(from));
    if (found.has_error())
        co_return complain(found.error(), exit_status::failed);
    print(found->bytes + (found->media_type == "application/json" ? "\n" : ""));
    co_return exit_status::ok;
}

task<int> diff(client_session* session, thread_diff_options options, bool colours)
{
    const auto query = "?from=" + net::percent_encode(options.from) + "&to=" + net::percent_encode(options.to);
    const auto answer = co_await session->api().get(thread_address(options.thread) + "/diff" + query);
    co_return told(answer, options.client.output, [colours](const json::object& found) {
        const auto* patch = found.if_contains("patch");
        return patch != nullptr && patch->is_array() ? patch_text(patch->get_array(), colours) : std::string();
    });
}

task<int> roll_back(client_session* session, thread_rollback_options options)
{
    json::object body{{"checkpoint_id", options.checkpoint}, {"mode", options.truncate ? "truncate" : "append"}};
    const auto answer = co_await session->api().post(thread_address(options.thread) + "/rollback", std::move(body));
    co_return told(answer, options.client.output, [](const json::object& done) {
        const auto* latest = done.if_contains("latest");
        return (latest != nullptr && latest->is_object() ? text_of(latest->get_object(), "id") : std::string()) + "\n";
    });
}

task<int> branch(client_session* session, thread_branch_options options)
{
    json::object body{{"thread", options.name}};
    if (!options.checkpoint.empty() && options.checkpoint != "latest")
        body["checkpoint_id"] = options.checkpoint;
    const auto answer = co_await session->api().post(thread_address(options.thread) + "/branch", std::move(body));
    co_return told(answer, options.client.output, [](const json::object& made) { return text_of(made, "latest_id") + "\n"; });
}

task<int> remove(client_session* session, thread_remove_options options)
{
    auto targets = options.checkpoints;
    if (targets.empty())
        targets.emplace_back();
    for (const auto& each : targets) {
        const auto target = each.empty() ? thread_address(options.thread) : checkpoint_address(options.thread, each);
        const auto done = co_await session->api().remove(target);
        if (done.has_error())
            co_return complain(done.error(), exit_status::failed);
        if (options.client.output == output_format::json)
            print_json({{"removed", each.empty() ? options.thread : each}});
    }
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const thread_list_options& options, const verb_context& context)
{
    return with_session(
        options, context, [&](client_session* session) { return list(session, options, context.colours, context.columns); });
}

int run_verb(const thread_log_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return log(session, options, context.colours); });
}

int run_verb(const thread_show_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return show(session, options); });
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
    return with_session(options, context, [&](client_session* session) { return remove(session, options); });
}

}    // namespace caisson::cli
