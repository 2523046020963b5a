#include "app/doors/http/credentials.hpp"
#include "app/doors/rest/executions/connect_session.hpp"
#include "app/doors/rest/executions/executions_door.hpp"
#include "app/doors/rest/executions/socket_viewer.hpp"
#include "app/wire/event_frame.hpp"
#include "app/wire/query.hpp"
#include "core/async/deadline.hpp"
#include "core/fairness/fair_workers.hpp"

namespace caisson::http {

namespace {

/// Client frames with stdin may be as large as http.max_websocket_message_bytes.
net::websocket_options options_of(const api_services& use)
{
    net::websocket_options options;
    options.max_message_bytes = static_cast<std::size_t>(use.config.http.max_websocket_message_bytes);
    options.max_inbox_messages = 4;
    options.ping_interval = std::chrono::milliseconds(use.config.http.websocket_ping_ms);
    options.pong_timeout = options.ping_interval;
    options.write_timeout = std::chrono::milliseconds(use.config.http.write_timeout_ms);
    return options;
}

// Index of the key's end in serve_viewer()'s race.
constexpr std::size_t key_ended = 3;

error foreign_origin()
{
    return {errc::forbidden, "a WebSocket may only be opened by a page of this server's own origin or of one in http.allowed_origins, or "
                             "by a program that sends no Origin"};
}

/// A client of …/stream. All referenced objects outlive it.
struct stream_client {
    const api_services& use;
    const net::connection_context& around;
    principal who;
    std::shared_ptr<socket_viewer> viewer;
};
using client_ptr = std::shared_ptr<const stream_client>;

/// Applies one frame. An error is sent to the client and does not end the connection.
task<> obey(client_ptr client, std::string text)
{
    const auto& viewer = *client->viewer;
    auto parse = [&] { return wire::parse_client_frame(text, wire::frame_scope::stream, client->use.wire); };
    auto parsed = co_await by_size(client->use.texts, client->who.tenant, text.size(), parse);
    result<void> done;
    if (parsed.frame.has_error())
        done = parsed.frame.error();
    else
        done = co_await apply_frame(client->use, client->who, viewer.id, std::move(*parsed.frame));
    if (done.has_error()) {
        viewer.socket->send_text(wire::error_frame_json(done.error(), parsed.ref, viewer.id.str()));
        co_await answers_taken(viewer.socket, viewer.share().queued);
    }
}

/// Reads the client's frames until it leaves. Each client frame is handled in a coroutine of its own, whose memory is freed before the next
/// wait.
task<> read_frames(client_ptr client)
{
    for (;;) {
        auto message = co_await client->viewer->socket->receive();
        if (!message)
            co_return;
        if (message->kind == net::message_kind::binary) {
            co_await refuse_binary(client->viewer->socket);
            co_return;
        }
        co_await obey(client, std::move(message->data));
    }
}

/// Upgrades to a WebSocket and makes the viewer of the execution in the path. Null on an error, which was answered.
task<std::shared_ptr<socket_viewer>> open_viewer(const api_services* use, call_ptr call)
{
    const auto id = call->id();
    auto query = wire::parse_stream_query(call->request().query);
    if (auto wrong = first_error(id, query)) {
        co_await call->fail(std::move(*wrong));
        co_return nullptr;
    }
    if (!use->pages.may_open_socket(call->request())) {
        co_await call->fail(foreign_origin());
        co_return nullptr;
    }
    auto row = co_await use->executions.find(call->tenant(), *id);
    auto log = co_await use->executions.open_log(call->tenant(), *id, query->after);
    if (auto wrong = first_error(row, log)) {
        co_await call->fail(std::move(*wrong));
        co_return nullptr;
    }
    auto socket = co_await call->exchange().upgrade(options_of(*use));
    if (socket.has_error()) {
        co_await call->fail(socket.error());
        co_return nullptr;
    }
    auto viewer = std::make_shared<socket_viewer>();
    viewer->socket = std::move(*socket);
    viewer->share = [around = &call->exchange().lasting()] { return share_of(around->share_bytes(), 1); };
    viewer->log = std::move(*log);
    viewer->texts = use->texts;
    viewer->tenant = call->tenant();
    viewer->id = *id;
    viewer->pty = row->pty;
    viewer->frames = query->frames;
    co_return viewer;
}

task<> serve_viewer(client_ptr client)
{
    auto key_ends = client->use.keys.until_ended(client->who.key);
    const auto outcome = co_await race(send_log(client->viewer), read_frames(client), client->around.drain_begun(), std::move(key_ends));
    if (outcome.index() == key_ended) {
        co_await client->viewer->socket->close(net::close_code::policy, std::string(key_is_over));
        co_return;
    }
    const bool draining = client->around.draining();
    const auto code = draining ? net::close_code::going_away : net::close_code::normal;
    const std::string reason = draining ? "the server is stopping; resume with the last cursor" : "the log is at its end";
    co_await client->viewer->socket->close(code, reason);
}

/// Serves a client of /v1/connect.
task<> serve_session(std::shared_ptr<connect_session> session, const net::connection_context* around)
{
    co_await race(serve_connection(session), around->drain_begun(), close_with_key(session));
    if (around->draining())
        co_await end_connection(session, net::close_code::going_away, "the server is stopping; attach again with the last cursor");
    else
        co_await end_connection(session, net::close_code::normal, "");
}

}    // namespace

task<> executions_door::stream_execution(call_ptr call)
{
    auto viewer = co_await open_viewer(&use_, call);
    if (!viewer)
        co_return;
    auto client = std::make_shared<const stream_client>(stream_client{use_, call->exchange().lasting(), call->who, std::move(viewer)});
    call->exchange().go_on(serve_viewer(std::move(client)));
}

task<> executions_door::connect(call_ptr call)
{
    auto frames = wire::parse_connect_query(call->request().query);
    const result<void> origin = use_.pages.may_open_socket(call->request()) ? result<void>() : result<void>(foreign_origin());
    if (auto wrong = first_error(frames, origin)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto socket = co_await call->exchange().upgrade(options_of(use_));
    if (socket.has_error()) {
        co_await call->fail(socket.error());
        co_return;
    }
    auto session = std::make_shared<connect_session>(use_, call->who, std::shared_ptr<net::websocket>(std::move(*socket)), *frames);
    const auto* const around = &call->exchange().lasting();
    session->share_memory([around] { return around->share_bytes(); });
    call->exchange().go_on(serve_session(std::move(session), around));
}

}    // namespace caisson::http
