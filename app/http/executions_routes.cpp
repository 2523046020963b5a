#include "app/http/api.hpp"
#include "app/http/collect.hpp"
#include "app/http/event_stream.hpp"
#include "app/wire/control_request.hpp"
#include "app/wire/execution_view.hpp"
#include "app/wire/query.hpp"
#include "core/async/deadline.hpp"

namespace caisson::http {

namespace {

/// A client that waits for an end is answered after this at the latest, with 202.
constexpr auto longest_wait = std::chrono::hours(2);
/// POST …/stdin waits so long for the program's sandbox to take the bytes.
constexpr auto stdin_wait = std::chrono::seconds(30);

bool prefers_async(const net::request& from) { return from.fields.has_token("Prefer", "respond-async"); }

std::string address_of(const execution_row& row) { return "/v1/executions/" + row.id.str(); }

/// All texts of a log that could be opened and read.
task<std::optional<wire::inline_texts>> collect_all(result<std::unique_ptr<log_reader>> log)
{
    if (log.has_error())
        co_return std::nullopt;
    auto output = co_await collect_output(std::shared_ptr<log_reader>(std::move(*log)));
    if (output.has_error())
        co_return std::nullopt;
    co_return std::move(*output);
}

}    // namespace

task<> api::create_execution(call_ptr one)
{
    if (one->request().fields.contains("Idempotency-Key")) {
        error later{errc::not_implemented, "Idempotency-Key is not available in this version: a repeat would run the program again"};
        co_await one->fail(std::move(later));
        co_return;
    }
    auto parsed = wire::parse_execution_request(one->request().body, use_.wire);
    if (parsed.has_error()) {
        co_await one->fail(parsed.error());
        co_return;
    }
    const bool wait = parsed->wait && !prefers_async(one->request());
    const bool cancel_on_disconnect = parsed->spec.cancel_on_disconnect;
    auto row = co_await use_.executions.submit(one->tenant(), std::move(parsed->spec));
    if (row.has_error()) {
        co_await one->fail(row.error());
        co_return;
    }
    if (wants_event_stream(one->request()))
        co_await stream_events(use_, one, row->id, log_position(), cancel_on_disconnect);
    else if (!wait || waiting_clients_ >= static_cast<std::size_t>(use_.config.executions.max_waiting_clients))
        co_await answer_accepted(one, *row);
    else
        co_await answer_when_ended(one, *row, cancel_on_disconnect);
}

task<> api::answer_accepted(call_ptr one, execution_row row)
{
    auto address = address_of(row);
    return one->answer(202, wire::execution_json(row), {"Location", std::move(address)});
}

task<> api::answer_when_ended(call_ptr one, execution_row row, bool cancel_on_disconnect)
{
    auto log = co_await use_.executions.open_log(row.tenant, row.id, log_position());    // now, while it is in memory
    ++waiting_clients_;
    const auto leave = std::shared_ptr<void>(nullptr, [this](void*) { --waiting_clients_; });
    auto end = use_.executions.wait(row.tenant, row.id, use_.time.steady_now() + longest_wait);
    auto outcome = co_await race(std::move(end), one->exchange().client_gone());
    if (outcome.index() == 1) {
        if (cancel_on_disconnect)
            static_cast<void>(co_await use_.executions.cancel(row.tenant, row.id));
        co_return;
    }
    auto now = std::get<0>(std::move(outcome));
    if (now.has_error()) {
        co_await one->fail(now.error());
    } else if (!is_final(now->status)) {
        co_await answer_accepted(one, *now);
    } else {
        auto output = co_await collect_all(std::move(log));
        auto json = wire::execution_json(*now, output ? &*output : nullptr);
        co_await one->answer(200, std::move(json));
    }
}

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
    if (!query->include_output) {
        co_await one->answer(200, wire::execution_json(*row));
        co_return;
    }
    auto output = co_await output_of(use_, one->tenant(), *id);
    auto json = wire::execution_json(*row, output.has_value() ? &*output : nullptr);
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
    auto checked = wire::parse_cancel_request(one->request().body);
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
