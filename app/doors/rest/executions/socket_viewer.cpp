#include "app/doors/rest/executions/socket_viewer.hpp"

#include "app/doors/http/stream_pace.hpp"
#include "app/doors/rest/executions/collect.hpp"
#include "app/wire/event_frame.hpp"
#include "core/auth/scopes.hpp"
#include "core/fairness/fair_workers.hpp"

#include <algorithm>

namespace caisson::http {

namespace {

constexpr std::size_t most_message = 1 << 20;

void send_one(const socket_viewer& viewer, const log_event& event)
{
    const bool binary = viewer.frames == wire::frame_format::binary;
    if (binary && event.kind == event_kind::output) {
        const auto header = wire::binary_header(event, viewer.pty, viewer.ref_no);
        viewer.socket->send_binary(std::string(header.begin(), header.end()), event.data);
        return;
    }
    wire::frame_source source{viewer.id.str(), viewer.pty, viewer.ref};
    if (binary)
        source.ref_no = viewer.ref_no;
    viewer.socket->send_text(wire::event_frame_json(event, source));
}

task<result<void>> without_value(task<result<std::uint64_t>> work)
{
    auto done = co_await std::move(work);
    co_return done.has_error() ? result<void>(done.error()) : result<void>();
}

task<result<void>> without_row(task<result<execution_row>> work)
{
    auto done = co_await std::move(work);
    co_return done.has_error() ? result<void>(done.error()) : result<void>();
}

task<result<void>> refused(error why) { co_return why; }

}    // namespace

viewer_share share_of(std::size_t bytes, std::size_t viewers)
{
    return {bytes, std::clamp(bytes / 4 / std::max<std::size_t>(1, viewers), least_batch, most_message)};
}

task<bool> send_log(std::shared_ptr<socket_viewer> viewer)
{
    bool has_ended = false;
    while (viewer->socket->open()) {
        co_await viewer->socket->drained(viewer->share().queued);    // waits before it reads: events read earlier would be held in memory
        const auto share = viewer->share();
        auto events = co_await viewer->log->next(share.batch, true);
        if (events.has_error()) {
            viewer->socket->send_text(wire::error_frame_json(events.error(), viewer->ref, viewer->id.str()));
            break;
        }
        if (events->empty())
            break;
        // Other viewers write to the same socket while this one waits. After the loop nothing suspends before the write.
        do {
            co_await viewer->socket->drained(share.queued);
            co_await wait_for_turn(viewer->texts, viewer->tenant, io_turns::kind::events, cost_of(*events));
        } while (viewer->socket->open() && viewer->socket->queued_bytes() > share.queued);
        for (const auto& each : *events)
            send_one(*viewer, seen_part(each));
        has_ended = events->back().event->kind == event_kind::exit;
    }
    co_return has_ended;
}

task<> answers_taken(std::shared_ptr<net::websocket> socket, std::size_t bytes) { co_await socket->drained(2 * bytes); }

task<> refuse_binary(std::shared_ptr<net::websocket> socket)
{
    const std::string reason = "frames of clients are text messages with JSON";
    co_await socket->close(net::close_code::unsupported_data, reason);
}

task<result<void>> apply_frame(const api_services& use, principal who, execution_id id, wire::client_frame frame)
{
    auto& executions = use.executions;
    const auto& tenant = who.tenant;
    if (!allows(who, scope::run))
        return refused({errc::forbidden, "this key lacks the scope \"run\""});
    if (auto* input = std::get_if<wire::stdin_frame>(&frame)) {
        execution_service::stdin_request given{std::move(input->input.data), input->input.offset, input->input.eof};
        return without_value(executions.write_stdin(tenant, id, std::move(given), use.time.steady_now()));
    }
    if (const auto* wanted = std::get_if<wire::signal_frame>(&frame))
        return executions.signal(tenant, id, wanted->signal.number, target_of(wanted->signal.scope));
    if (const auto* wanted = std::get_if<wire::resize_frame>(&frame))
        return executions.resize(tenant, id, wanted->size);
    if (std::holds_alternative<wire::cancel_frame>(frame))
        return without_row(executions.cancel(tenant, id));
    return refused({errc::bad_request, "this frame has no meaning here"});
}

}    // namespace caisson::http
