#include "app/doors/rest/executions/collect.hpp"
#include "app/doors/rest/executions/event_stream.hpp"
#include "app/doors/rest/executions/executions_door.hpp"
#include "app/wire/merged_lines.hpp"
#include "app/wire/query.hpp"
#include "core/fairness/fair_workers.hpp"

namespace caisson::http {

namespace {

/// True if no event follows `after` now or later. The 204 for it ends an EventSource for good.
task<bool> is_final_position(const api_services* use, tenant_id tenant, execution_id id, log_position after)
{
    auto row = co_await use->executions.find(tenant, id);
    if (row.has_error() || !is_final(row->status))
        co_return false;
    auto log = co_await use->executions.open_log(tenant, id, after);
    if (log.has_error())
        co_return false;
    auto rest = co_await (*log)->next(1, false);
    co_return rest.has_value() && rest->empty();
}

/// Appends the output in `events` to `text`, both streams merged by lines.
void append_text(std::string& text, wire::merged_lines& lines, const std::vector<viewed_event>& events)
{
    const auto to_text = [&text](std::string_view bytes) { text += bytes; };
    for (const auto& each : events) {
        const auto part = seen_part(each);
        if (part.kind == event_kind::truncated) {
            lines.flush(to_text);
            text += "\n[… " + std::to_string(part.missing_bytes) + " bytes are not kept …]\n";
        }
        lines.add(part, to_text);
    }
}

/// Writes the text of a log. False if the client stopped reading.
task<bool> write_text(const api_services* use, call_ptr call, std::shared_ptr<log_reader> log, net::stream_writer* out)
{
    constexpr std::size_t text_read_bytes = 1 << 20;
    wire::merged_lines lines;
    bool taken = true;
    for (bool more = true; more && taken;) {
        auto events = co_await log->next(text_read_bytes, false);
        std::string text;
        more = events.has_value() && !events->empty();
        if (more) {
            co_await wait_for_turn(use->texts, call->tenant(), io_turns::kind::events, cost_of(*events));
            append_text(text, lines, *events);
        } else
            lines.flush([&text](std::string_view bytes) { text += bytes; });
        taken = co_await out->write(text);
    }
    co_return taken;
}

}    // namespace

task<> executions_door::get_logs(call_ptr call)
{
    const auto id = call->id();
    if (id.has_error()) {
        co_await call->fail(id.error());
        co_return;
    }
    auto log = co_await use_.executions.open_log(call->tenant(), *id, log_position());
    if (log.has_error()) {
        co_await call->fail(log.error());
        co_return;
    }
    net::response head;
    head.fields.set("Content-Type", "text/plain; charset=utf-8");
    head.fields.set("X-Content-Type-Options", "nosniff");
    head.fields.set("Cache-Control", "no-store");
    auto out = co_await call->begin_stream(std::move(head));
    const bool whole = co_await write_text(&use_, call, std::shared_ptr<log_reader>(std::move(*log)), out.get());
    if (whole)
        co_await out->finish();
}

task<> executions_door::get_events(call_ptr call)
{
    const auto id = call->id();
    auto query = wire::parse_events_query(call->request().query);
    if (auto wrong = first_error(id, query)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto after = query->after.value_or(log_position());
    if (const auto last = call->request().fields.find("Last-Event-ID")) {
        const auto position = from_cursor(*last);
        if (!position) {
            error wrong{errc::bad_request, "the header Last-Event-ID is not a cursor of this API", {{"Last-Event-ID", "is not a cursor"}}};
            co_await call->fail(std::move(wrong));
            co_return;
        }
        after = *position;
    }
    if (!wants_event_stream(call->request())) {
        co_await stream_lines(use_, call, *id, after, query->follow);
        co_return;
    }
    const bool final = co_await is_final_position(&use_, call->tenant(), *id, after);
    if (final) {
        net::response nothing;
        nothing.status = 204;
        co_await call->exchange().respond(std::move(nothing));
        co_return;
    }
    co_await stream_events(use_, call, *id, after, false);
}

}    // namespace caisson::http
