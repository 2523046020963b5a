#include "app/http/api.hpp"
#include "app/http/artifact_files.hpp"
#include "app/http/collect.hpp"
#include "app/wire/control_request.hpp"
#include "app/wire/execution_view.hpp"
#include "app/wire/query.hpp"
#include "core/async/deadline.hpp"

namespace caisson::http {

namespace {

/// POST …/stdin waits so long for the program's sandbox to take the bytes.
constexpr auto stdin_wait = std::chrono::seconds(30);

/// How far the delivery of its end is, if it has a webhook.
task<std::optional<webhook_status>> webhook_of(const api_services* use, const execution_row* row)
{
    if (use->webhooks == nullptr)
        co_return std::nullopt;
    auto found = co_await use->webhooks->find(row->tenant, row->id);
    co_return found.has_value() ? std::optional(std::move(*found)) : std::nullopt;
}

}    // namespace

task<> api::list_executions(call_ptr one)
{
    auto query = wire::parse_list_query(one->request().query);
    if (query.has_error()) {
        co_await one->fail(query.error());
        co_return;
    }
    const auto limit = query->filter.limit++;    // one more tells whether there is a next page
    auto rows = co_await use_.executions.list(one->tenant(), query->filter);
    if (rows.has_error()) {
        co_await one->fail(rows.error());
        co_return;
    }
    std::optional<std::string> next;
    if (rows->size() > limit) {
        rows->resize(limit);
        next = wire::list_cursor(rows->back().id);
    }
    std::vector<wire::inline_texts> texts(rows->size());
    std::vector<wire::execution_item> items;
    for (std::size_t i = 0; i < rows->size(); ++i) {
        items.push_back({&(*rows)[i], query->include_output ? &texts[i] : nullptr});
        if (!query->include_output)
            continue;
        auto output = co_await output_of(use_, one->tenant(), (*rows)[i].id, list_text_bytes);
        if (output.has_value())
            texts[i] = std::move(*output);
    }
    co_await one->answer(200, wire::execution_list_json(items, next));
}

task<> api::get_execution(call_ptr one)
{
    const auto id = one->id();
    auto query = wire::parse_get_query(one->request().query);
    if (auto wrong = first_error(id, query)) {
        co_await one->fail(std::move(*wrong));
        co_return;
    }
    auto found = query->wait.count() > 0 ? use_.executions.wait(one->tenant(), *id, use_.time.steady_now() + query->wait)
                                         : use_.executions.find(one->tenant(), *id);
    auto outcome = co_await race(std::move(found), one->exchange().client_gone());
    if (outcome.index() == 1)
        co_return;
    auto row = std::get<0>(std::move(outcome));
    if (row.has_error()) {
        co_await one->fail(row.error());
        co_return;
    }
    const auto files = co_await files_of(&use_, public_base(use_, one->request()), *row);
    const auto hook = co_await webhook_of(&use_, &*row);
    const auto payload = co_await payload_of(&use_, *row);
    std::optional<wire::inline_texts> texts;
    if (query->include_output) {
        auto output = co_await output_of(use_, one->tenant(), *id);
        if (output.has_value())
            texts = std::move(*output);
    }
    const wire::execution_parts parts{pointer_to(texts), pointer_to(files), pointer_to(hook), pointer_to(payload)};
    auto json = wire::execution_json(*row, parts);
    co_await one->answer(200, std::move(json));
}

task<> api::delete_execution(call_ptr one)
{
    const auto id = one->id();
    if (id.has_error()) {
        co_await one->fail(id.error());
        co_return;
    }
    auto erased = co_await use_.executions.erase(one->tenant(), *id);
    if (erased.has_error()) {
        co_await one->fail(erased.error());
        co_return;
    }
    net::response done;
    done.status = 204;
    co_await one->exchange().respond(std::move(done));
}

task<> api::cancel_execution(call_ptr one)
{
    const auto id = one->id();
    auto checked = wire::parse_no_fields(one->request().body);
    if (auto wrong = first_error(id, checked)) {
        co_await one->fail(std::move(*wrong));
        co_return;
    }
    auto row = co_await use_.executions.cancel(one->tenant(), *id);
    if (row.has_error())
        co_await one->fail(row.error());
    else
        co_await one->answer(202, wire::execution_json(*row));
}

task<> api::signal_execution(call_ptr one)
{
    const auto id = one->id();
    auto wanted = wire::parse_signal_request(one->request().body);
    if (auto wrong = first_error(id, wanted)) {
        co_await one->fail(std::move(*wrong));
        co_return;
    }
    auto sent = co_await use_.executions.signal(one->tenant(), *id, wanted->number, target_of(wanted->scope));
    if (sent.has_error())
        co_await one->fail(sent.error());
    else
        co_await one->answer(202, R"({"sent":true})");
}

task<> api::write_stdin(call_ptr one)
{
    const auto id = one->id();
    auto wanted = wire::parse_stdin_request(one->request().body);
    if (auto wrong = first_error(id, wanted)) {
        co_await one->fail(std::move(*wrong));
        co_return;
    }
    execution_service::stdin_request given{std::move(wanted->data), wanted->offset, wanted->eof};
    auto taken = co_await use_.executions.write_stdin(one->tenant(), *id, std::move(given), use_.time.steady_now() + stdin_wait);
    if (taken.has_error())
        co_await one->fail(taken.error());
    else
        co_await one->answer(202, "{\"offset\":" + std::to_string(*taken) + "}");
}

}    // namespace caisson::http
