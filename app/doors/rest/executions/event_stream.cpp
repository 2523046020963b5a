#include "app/doors/rest/executions/event_stream.hpp"

#include "adapters/net/accept.hpp"
#include "adapters/net/sse.hpp"
#include "app/doors/http/stream_pace.hpp"
#include "app/doors/rest/executions/collect.hpp"
#include "app/wire/event_frame.hpp"
#include "core/async/deadline.hpp"
#include "core/fairness/fair_workers.hpp"

#include <algorithm>

namespace caisson::http {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_bytes = 256 << 10;    // in one write

enum class line_format { sse, json_lines };

/// The state of one answer. Shared by its coroutines.
struct pump_state {
    const api_services& use;
    call_ptr call;
    std::unique_ptr<log_reader> log;
    std::unique_ptr<net::stream_writer> out;
    std::string id;
    bool pty = false;
    line_format format = line_format::sse;
    bool follow = true;
    bool refused = false;    // the client is gone or stopped reading
};

void append(std::string& text, const viewed_event& viewed, const pump_state& state)
{
    const auto event = seen_part(viewed);
    const wire::frame_source source{state.id, state.pty};
    if (state.format == line_format::sse) {
        text += wire::sse_event(event, source);
    } else {
        wire::append_event_frame(text, event, source);
        text += '\n';
    }
}

task<bool> write_next(std::shared_ptr<pump_state> state)
{
    const auto bytes = std::min(most_bytes, state->call->exchange().share_bytes() / 2);
    auto reading = state->log->next(bytes, state->follow);
    auto events = co_await with_deadline(state->use.time, state->use.time.steady_now() + heartbeat_every, std::move(reading));
    std::string text;
    if (events.has_error() && events.error().code == errc::timed_out)
        text = state->format == line_format::sse ? net::sse_comment("still running") : std::string();
    else if (events.has_error() || events->empty())
        co_return false;
    else {
        co_await wait_for_turn(state->use.texts, state->call->tenant(), io_turns::kind::events, cost_of(*events));
        for (const auto& each : *events)
            append(text, each, *state);
    }
    const bool taken = co_await state->out->write(text);
    state->refused = !taken;
    co_return taken;
}

/// Writes until the log ends or the client stops reading.
task<> pump(std::shared_ptr<pump_state> state)
{
    while (co_await write_next(state)) { }
}

task<> stream(std::shared_ptr<pump_state> state, bool cancel_on_disconnect, task<result<std::unique_ptr<log_reader>>> opening,
    task<result<execution_row>> finding)
{
    auto row = co_await std::move(finding);
    auto log = co_await std::move(opening);
    if (auto wrong = first_error(row, log)) {
        co_await state->call->fail(std::move(*wrong));
        co_return;
    }
    state->log = std::move(*log);
    state->pty = row->pty;
    net::response head;
    head.fields = state->call->extra;
    head.fields.set("Content-Type", state->format == line_format::sse ? std::string(net::sse_content_type) : "application/x-ndjson");
    head.fields.set("Cache-Control", "no-store");
    head.fields.set("X-Accel-Buffering", "no");
    head.fields.set("Location", "/v1/executions/" + row->id.str());
    state->out = co_await state->call->exchange().begin_stream(std::move(head));
    auto work = race(pump(state), state->call->exchange().drain_begun());
    auto key_ends = state->use.keys.until_ended(state->call->who.key);
    const auto outcome = co_await race(std::move(work), state->call->exchange().client_gone(), std::move(key_ends));
    const bool draining = state->call->exchange().draining();
    const bool has_left = outcome.index() != 0 || (state->refused && !draining);
    if (has_left && cancel_on_disconnect)
        static_cast<void>(co_await state->use.executions.cancel(row->tenant, row->id));
    else if (!has_left && (state->log->at_end() || !state->follow || draining))
        co_await state->out->finish();    // otherwise the answer is cut, which the client sees
}

}    // namespace

bool wants_event_stream(const net::request& from) { return net::prefers(from.fields, net::sse_content_type, "application/json"); }

task<> stream_events(const api_services& use, call_ptr call, execution_id id, log_position after, bool cancel_on_disconnect)
{
    auto state = std::make_shared<pump_state>(pump_state{use, call, nullptr, nullptr, id.str(), false, line_format::sse, true});
    return stream(std::move(state), cancel_on_disconnect, use.executions.open_log(call->tenant(), id, after),
        use.executions.find(call->tenant(), id));
}

task<> stream_lines(const api_services& use, call_ptr call, execution_id id, log_position after, bool follow)
{
    auto state = std::make_shared<pump_state>(pump_state{use, call, nullptr, nullptr, id.str(), false, line_format::json_lines, follow});
    return stream(std::move(state), false, use.executions.open_log(call->tenant(), id, after), use.executions.find(call->tenant(), id));
}

}    // namespace caisson::http
