// POST /v1/executions.

#include "app/doors/http/credentials.hpp"
#include "app/doors/rest/artifacts/artifact_files.hpp"
#include "app/doors/rest/executions/begin_execution.hpp"
#include "app/doors/rest/executions/collect.hpp"
#include "app/doors/rest/executions/event_stream.hpp"
#include "app/doors/rest/executions/executions_door.hpp"
#include "app/wire/execution_view.hpp"
#include "core/async/deadline.hpp"
#include "core/fairness/fair_workers.hpp"

namespace caisson::http {

namespace {

/// A client that waits for the end is answered with 202 after this time at the latest.
constexpr auto longest_end_wait = std::chrono::hours(2);

bool prefers_async(const net::request& from) { return from.fields.has_token("Prefer", "respond-async"); }

std::string execution_address(const execution_row& row) { return "/v1/executions/" + row.id.str(); }

/// All texts of the log; empty if it could not be opened or read.
task<std::optional<wire::inline_texts>> collect_all(const api_services* use, tenant_id tenant, result<std::unique_ptr<log_reader>> log)
{
    if (log.has_error())
        co_return std::nullopt;
    auto output = co_await collect_output(use, std::move(tenant), std::shared_ptr<log_reader>(std::move(*log)));
    if (output.has_error())
        co_return std::nullopt;
    co_return std::move(*output);
}

}    // namespace

task<> executions_door::create_execution(call_ptr call)
{
    const auto bytes = call->request().body.size();
    auto read = [&] {
        const auto& from = call->request();
        return std::pair(claim_of(from, "POST /v1/executions", use_.digest), wire::parse_execution_request(from.body, use_.wire));
    };
    auto found = co_await by_size(use_.texts, call->tenant(), bytes, read);
    auto& [claim, parsed] = found;
    if (auto wrong = first_error(parsed, claim)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    const bool wait = parsed->wait && !prefers_async(call->request());
    const bool may_cancel = parsed->spec.cancel_on_disconnect;
    const bool streams = wants_event_stream(call->request());
    const auto when = wait && !streams ? execution_service::answered::at_end : execution_service::answered::at_begin;
    auto begun = co_await begin_execution(&use_, call->who, std::move(*parsed), std::move(*claim), when);
    if (begun.has_error()) {
        co_await call->fail(begun.error());
        co_return;
    }
    const bool cancel_on_disconnect = may_cancel && !begun->replayed;    // a client that repeats the request did not start it
    if (begun->replayed)
        call->extra.set("Idempotency-Replayed", "true");
    if (streams)
        co_await stream_events(use_, call, begun->row.id, log_position(), cancel_on_disconnect);
    else if (begun->log)
        co_await answer_ended(call, std::move(begun->row), std::move(begun->log));
    else if (!wait || waiting_clients_ >= static_cast<std::size_t>(use_.config.executions.max_waiting_clients))
        co_await answer_accepted(call, std::move(begun->row));
    else
        co_await answer_when_ended(call, std::move(begun->row), cancel_on_disconnect);
}

task<> executions_door::answer_accepted(call_ptr call, execution_row row)
{
    auto address = execution_address(row);
    return call->answer(202, wire::execution_json(row), {"Location", std::move(address)});
}

task<> executions_door::answer_when_ended(call_ptr call, execution_row row, bool cancel_on_disconnect)
{
    auto log = co_await use_.executions.open_log(row.tenant, row.id, log_position());    // opened now, while the log is in memory
    ++waiting_clients_;
    const auto leave = std::shared_ptr<void>(nullptr, [this](void*) { --waiting_clients_; });
    auto end = use_.executions.wait(row.tenant, row.id, use_.time.steady_now() + longest_end_wait);
    auto key_ends = use_.keys.until_ended(call->who.key);
    auto outcome = co_await race(std::move(end), call->exchange().client_gone(), std::move(key_ends));
    if (outcome.index() != 0) {
        if (cancel_on_disconnect)
            static_cast<void>(co_await use_.executions.cancel(row.tenant, row.id));
        if (outcome.index() == 2) {
            net::header_field location{"Location", execution_address(row)};
            co_await call->fail(ended_key(), std::move(location));
        }
        co_return;
    }
    auto now = std::get<0>(std::move(outcome));
    if (now.has_error()) {
        co_await call->fail(now.error());
    } else if (!is_final(now->status)) {
        co_await answer_accepted(call, *now);
    } else {
        co_await answer_ended(call, std::move(*now), std::move(log));
    }
}

task<> executions_door::answer_ended(call_ptr call, execution_row row, result<std::unique_ptr<log_reader>> log)
{
    auto output = co_await collect_all(&use_, row.tenant, std::move(log));
    const auto files = co_await files_of(&use_, use_.pages.base(call->request()), row);
    const auto payload = co_await payload_of(&use_, row);
    const wire::execution_parts parts{pointer_to(output), pointer_to(files), nullptr, pointer_to(payload)};
    auto write = [&] { return wire::execution_json(row, parts); };
    auto json = co_await by_size(use_.texts, call->tenant(), size_of(output, files), write);
    co_await call->answer(200, std::move(json));
}

}    // namespace caisson::http
