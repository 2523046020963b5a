#include "app/cli/client_session.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/verbs.hpp"
#include "app/cli/views.hpp"
#include "core/base/clock.hpp"

#include <algorithm>

namespace caisson::cli {

namespace {

constexpr std::int64_t largest_page = 200;

std::string page_target(const ps_options& options, const std::string& status, std::int64_t wanted, const std::string& cursor)
{
    auto target = "/v1/executions?limit=" + std::to_string(std::min(wanted, largest_page));
    if (!status.empty())
        target += "&status=" + status;
    if (!options.label.empty())
        target += "&label=" + net::percent_encode(options.label);
    if (!cursor.empty())
        target += "&cursor=" + net::percent_encode(cursor);
    return target;
}

/// Up to options.limit executions with `status` (empty: any), over as many pages as needed.
task<result<boost::json::array>> gather(api_client* api, ps_options options, std::string status)
{
    boost::json::array items;
    std::string cursor;
    auto wanted = options.limit;
    do {
        auto page = co_await api->get(page_target(options, status, wanted, cursor));
        if (page.has_error())
            co_return page.error();
        const auto* object = page->if_object();
        const auto* found = object != nullptr ? object->if_contains("items") : nullptr;
        if (found == nullptr || !found->is_array())
            co_return error{errc::bad_request, "the server's list cannot be read"};
        items.insert(items.end(), found->get_array().begin(), found->get_array().end());
        wanted -= static_cast<std::int64_t>(found->get_array().size());
        cursor = found->get_array().empty() ? "" : text_of(*object, "next_cursor");
    } while (!cursor.empty() && wanted > 0);
    co_return items;
}

task<result<boost::json::array>> list_executions(api_client* api, ps_options options)
{
    boost::json::array items;
    std::vector<std::string> statuses{options.status};
    if (options.status.empty() && !options.all)
        statuses = {"queued", "running"};    // in this order: an execution that starts in between is found twice, not missed
    for (const auto& status : statuses) {
        auto gathered = co_await gather(api, options, status);
        if (gathered.has_error())
            co_return gathered.error();
        items.insert(items.end(), gathered->begin(), gathered->end());
    }
    // Ids begin with their time: this is newest first.
    const auto id_of = [](const boost::json::value& item) { return item.is_object() ? text_of(item.get_object(), "execution_id") : ""; };
    std::ranges::sort(items, std::ranges::greater(), id_of);
    const auto repeated = std::ranges::unique(items, {}, id_of);
    items.erase(repeated.begin(), repeated.end());
    if (items.size() > static_cast<std::size_t>(options.limit))
        items.resize(static_cast<std::size_t>(options.limit));
    co_return items;
}

task<int> show_list(client_session* session, ps_options options, bool colours, std::size_t columns)
{
    auto items = co_await list_executions(&session->api(), options);
    if (items.has_error())
        co_return complain(items.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(*items);
    else
        print(executions_table(*items, session->time().now_ms(), colours, columns));
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const ps_options& options, const verb_context& context)
{
    auto access = resolve_access(options.client, context.environment);
    if (access.has_error())
        return complain(access.error(), exit_status::usage);
    client_session session(std::move(*access));
    return session.run(show_list(&session, options, context.colours, context.columns));
}

}    // namespace caisson::cli
