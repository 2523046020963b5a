#include "app/doors/http/credentials.hpp"
#include "app/doors/rest/artifacts/artifact_files.hpp"
#include "app/doors/rest/executions/collect.hpp"
#include "app/doors/rest/executions/executions_door.hpp"
#include "app/wire/control_request.hpp"
#include "app/wire/execution_view.hpp"
#include "app/wire/query.hpp"
#include "core/async/deadline.hpp"
#include "core/fairness/fair_workers.hpp"

namespace caisson::http {

namespace {

/// How long POST …/stdin waits for the sandbox to take the bytes.
constexpr auto stdin_wait = std::chrono::seconds(30);

/// Typical JSON bytes of an execution without output; 20 kB with the most labels.
constexpr std::size_t row_bytes = 2 << 10;

/// Delivery status of the webhook that reports the end.
struct known_delivery {
    std::optional<webhook_status> status;
    bool is_none = false;    // there is and will be no webhook; false if that cannot be read
};

task<known_delivery> webhook_of(const api_services* use, const execution_row* row)
{
    if (use->webhooks == nullptr)
        co_return known_delivery{std::nullopt, true};
    auto found = co_await use->webhooks->find(row->tenant, row->id);
    if (found.has_error())
        co_return known_delivery{std::nullopt, found.error().code == errc::not_found};
    co_return known_delivery{std::move(*found), false};
}

/// The record, once the execution has ended or `wait` is over; at once if `wait` is 0. Empty if the client left during the wait. Errors:
/// errc::unauthorized if the key ends during the wait.
task<std::optional<result<execution_row>>> find_execution(
    const api_services* use, call_ptr call, execution_id id, std::chrono::milliseconds wait)
{
    if (wait.count() == 0)
        co_return co_await use->executions.find(call->tenant(), std::move(id));
    auto ended = use->executions.wait(call->tenant(), std::move(id), use->time.steady_now() + wait);
    auto key_ends = use->keys.until_ended(call->who.key);
    auto outcome = co_await race(std::move(ended), call->exchange().client_gone(), std::move(key_ends));
    if (outcome.index() == 1)
        co_return std::nullopt;
    if (outcome.index() == 2)
        co_return ended_key();
    co_return std::get<0>(std::move(outcome));
}

/// The parts of GET /v1/executions/{id} beside the record.
struct response_parts {
    std::optional<wire::files_view> files;
    known_delivery hook;
    std::optional<execution_payload> payload;
    std::optional<wire::inline_texts> texts;

    wire::execution_parts view() const { return {pointer_to(texts), pointer_to(files), pointer_to(hook.status), pointer_to(payload)}; }
};

task<response_parts> parts_of(const api_services* use, call_ptr call, const execution_row* row, bool wants_output)
{
    response_parts out;
    out.files = co_await files_of(use, use->pages.base(call->request()), *row);
    out.hook = co_await webhook_of(use, row);
    out.payload = co_await payload_of(use, *row);
    if (!wants_output)
        co_return out;
    auto output = co_await output_of(*use, *row);
    if (output.has_value())
        out.texts = std::move(*output);
    co_return out;
}

/// True if the answer stays the same until the execution is removed. It may change with files (their URLs are signed anew and files
/// expire), with a webhook (its delivery is retried), and if a part could not be read.
bool stays_as_it_is(const execution_row& row, const response_parts& parts, bool wants_output)
{
    const bool has_files = row.collected && row.collected->files > 0;
    const bool lacks_payload = row.kind == execution_kind::skill && !parts.payload;
    return is_final(row.status) && !has_files && parts.hook.is_none && !lacks_payload && (parts.texts || !wants_output);
}

response_cache::form form_of(const wire::get_query& query)
{
    return query.include_output ? response_cache::form::whole : response_cache::form::brief;
}

}    // namespace

task<> executions_door::list_executions(call_ptr call)
{
    auto query = wire::parse_list_query(call->request().query);
    if (query.has_error()) {
        co_await call->fail(query.error());
        co_return;
    }
    const auto limit = query->filter.limit++;    // one more tells whether there is a next page
    auto rows = co_await use_.executions.list(call->tenant(), query->filter);
    if (rows.has_error()) {
        co_await call->fail(rows.error());
        co_return;
    }
    std::optional<std::string> next;
    if (rows->size() > limit) {
        rows->resize(limit);
        next = wire::list_cursor(rows->back().id);
    }
    std::vector<std::optional<wire::inline_texts>> texts(rows->size());
    std::vector<wire::execution_item> items;
    std::size_t bytes = rows->size() * row_bytes;
    for (std::size_t i = 0; i < rows->size(); ++i) {
        if (query->include_output) {
            auto output = co_await output_of(use_, (*rows)[i], list_text_bytes);
            texts[i] = output.has_value() ? std::move(*output) : wire::inline_texts();
            co_await asio::post(use_.executor, use_task);    // reading logs in memory never suspends: lets other requests run
        }
        items.push_back({&(*rows)[i], pointer_to(texts[i])});
        bytes += size_of(texts[i]);
    }
    auto write = [&] { return wire::execution_list_json(items, next); };
    auto json = co_await by_size(use_.texts, call->tenant(), bytes, write);
    co_await call->answer(200, std::move(json));
}

/// Not a coroutine: most executions that are polled have ended, and their answers are kept.
task<> executions_door::get_execution(call_ptr call)
{
    auto id = call->id();
    auto query = wire::parse_get_query(call->request().query);
    if (auto wrong = first_error(id, query))
        return call->fail(std::move(*wrong));
    if (auto kept = ended_.find(call->tenant(), id->str(), form_of(*query)); !kept.empty())
        return call->answer(200, std::move(kept));
    return read_execution(std::move(call), std::move(*id), *query);
}

task<> executions_door::read_execution(call_ptr call, execution_id id, wire::get_query query)
{
    const auto read_since = ended_.now(call->tenant(), id.str());
    const bool was_live = use_.executions.is_live(call->tenant(), id);
    auto row = co_await find_execution(&use_, call, id, query.wait);
    if (!row)
        co_return;
    if (row->has_error()) {
        co_await call->fail(row->error());
        co_return;
    }
    const auto parts = co_await parts_of(&use_, call, &**row, query.include_output);
    auto write = [&] { return shared_bytes(wire::execution_json(**row, parts.view())); };
    auto json = co_await by_size(use_.texts, call->tenant(), size_of(parts.texts, parts.files), write);
    if (!was_live && stays_as_it_is(**row, parts, query.include_output))
        ended_.keep(call->tenant(), id.str(), form_of(query), json, read_since);
    co_await call->answer(200, std::move(json));
}

task<> executions_door::delete_execution(call_ptr call)
{
    const auto id = call->id();
    if (id.has_error()) {
        co_await call->fail(id.error());
        co_return;
    }
    auto erased = co_await use_.executions.erase(call->tenant(), *id);
    if (erased.has_error()) {
        co_await call->fail(erased.error());
        co_return;
    }
    net::response done;
    done.status = 204;
    co_await call->exchange().respond(std::move(done));
}

task<> executions_door::cancel_execution(call_ptr call)
{
    const auto id = call->id();
    auto checked = wire::parse_no_fields(call->request().body);
    if (auto wrong = first_error(id, checked)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto row = co_await use_.executions.cancel(call->tenant(), *id);
    if (row.has_error())
        co_await call->fail(row.error());
    else
        co_await call->answer(202, wire::execution_json(*row));
}

task<> executions_door::signal_execution(call_ptr call)
{
    const auto id = call->id();
    auto wanted = wire::parse_signal_request(call->request().body);
    if (auto wrong = first_error(id, wanted)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto sent = co_await use_.executions.signal(call->tenant(), *id, wanted->number, target_of(wanted->scope));
    if (sent.has_error())
        co_await call->fail(sent.error());
    else
        co_await call->answer(202, R"({"sent":true})");
}

task<> executions_door::write_stdin(call_ptr call)
{
    const auto id = call->id();
    const auto& body = call->request().body;
    auto parse = [&] { return wire::parse_stdin_request(body); };
    auto wanted = co_await by_size(use_.texts, call->tenant(), body.size(), parse);
    if (auto wrong = first_error(id, wanted)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    execution_service::stdin_request given{std::move(wanted->data), wanted->offset, wanted->eof};
    auto writing = use_.executions.write_stdin(call->tenant(), *id, std::move(given), use_.time.steady_now() + stdin_wait);
    auto key_ends = use_.keys.until_ended(call->who.key);
    auto outcome = co_await race(std::move(writing), std::move(key_ends));
    if (outcome.index() == 1) {
        co_await call->fail(ended_key());
        co_return;
    }
    auto& taken = std::get<0>(outcome);
    if (taken.has_error())
        co_await call->fail(taken.error());
    else
        co_await call->answer(202, "{\"offset\":" + std::to_string(*taken) + "}");
}

}    // namespace caisson::http
