// thread ls, log, show, diff, rollback, branch and rm.

#include "app/cli/thread_address.hpp"
#include "app/cli/thread_views.hpp"
#include "app/cli/with_session.hpp"

#include <algorithm>

namespace caisson::cli {

namespace json = boost::json;

namespace {

constexpr std::int64_t page = 200;

/// Pages of a list, in their order, at most `limit` items. Errors: errc::bad_request for what is no list.
task<result<json::array>> all_pages(client_session* session, std::string target, std::int64_t limit)
{
    json::array items;
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
        if (cursor.empty() || static_cast<std::int64_t>(items.size()) >= limit)
            co_return items;
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
    const auto items = co_await all_pages(session, "/v1/threads", std::numeric_limits<std::int64_t>::max());
    if (items.has_error())
        co_return complain(items.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(*items);
    else
        print(threads_table(*items, session->time().now_ms(), colours, columns));
    co_return exit_status::ok;
}

task<int> log(client_session* session, thread_log_options options, bool colours)
{
    const auto items = co_await all_pages(session, thread_address(options.thread) + "/checkpoints", options.limit);
    if (items.has_error())
        co_return complain(items.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(*items);
    else
        print(thread_log(*items, session->time().now_ms(), colours));
    co_return exit_status::ok;
}

/// As the server has it: its numbers are not read and written anew.
task<int> show(client_session* session, thread_show_options options)
{
    const bool whole = options.client.output == output_format::json;
    auto from = checkpoint_address(options.thread, options.checkpoint) + (whole ? "" : "/state");
    const auto text = co_await session->api().get_text(std::move(from));
    if (text.has_error())
        co_return complain(text.error(), exit_status::failed);
    print(*text + "\n");
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
