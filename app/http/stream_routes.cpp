#include "app/http/api.hpp"
#include "app/http/connect_session.hpp"
#include "app/http/socket_viewer.hpp"
#include "app/wire/event_frame.hpp"
#include "app/wire/query.hpp"
#include "core/async/deadline.hpp"

namespace caisson::http {

namespace {

/// Frames of a client that carry stdin may be as large as a request's.
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

error foreign_origin()
{
    return {errc::forbidden, "a WebSocket may only be opened by a page of this server's own origin, or by a program that sends no Origin"};
}

/// Reads the client's frames until it leaves. An error is told and does not end the connection.
task<> read_frames(const api_services* use, principal who, std::shared_ptr<socket_viewer> viewer)
{
    for (;;) {
        auto message = co_await viewer->socket->receive();
        if (!message)
            co_return;
        if (message->kind == net::message_kind::binary) {
            co_await refuse_binary(viewer->socket);
            co_return;
        }
        auto parsed = wire::parse_client_frame(message->data, wire::frame_scope::stream, use->wire);
        result<void> done;
        if (parsed.frame.has_error())
            done = parsed.frame.error();
        else
            done = co_await apply_frame(*use, who, viewer->id, std::move(*parsed.frame));
        if (done.has_error())
            viewer->socket->send_text(wire::error_frame_json(done.error(), parsed.ref, viewer->id.str()));
    }
}

}    // namespace

task<> api::stream_execution(call_ptr one)
{
    const auto id = one->id();
    auto query = wire::parse_stream_query(one->request().query);
    if (auto wrong = first_error(id, query)) {
        co_await one->fail(std::move(*wrong));
        co_return;
    }
    if (!net::same_origin(one->request())) {
        co_await one->fail(foreign_origin());
        co_return;
    }
    auto row = co_await use_.executions.find(one->tenant(), *id);
    auto log = co_await use_.executions.open_log(one->tenant(), *id, query->after);
    if (auto wrong = first_error(row, log)) {
        co_await one->fail(std::move(*wrong));
        co_return;
    }
    auto socket = co_await one->exchange().upgrade(options_of(use_));
    if (socket.has_error()) {
        co_await one->fail(socket.error());
        co_return;
    }
    auto viewer = std::make_shared<socket_viewer>();
    viewer->socket = std::move(*socket);
    viewer->share = [one] { return share_of(one->exchange().share_bytes(), 1); };
    viewer->log = std::move(*log);
    viewer->id = *id;
    viewer->pty = row->pty;
    viewer->frames = query->frames;
    auto both = race(send_log(viewer), read_frames(&use_, one->who, viewer));
    co_await race(std::move(both), one->exchange().drain_begun());
    const bool draining = one->exchange().draining();
    const auto code = draining ? net::close_code::going_away : net::close_code::normal;
    const std::string reason = draining ? "the server is stopping; resume with the last cursor" : "the log is at its end";
    co_await viewer->socket->close(code, reason);
}

task<> api::connect(call_ptr one)
{
    auto frames = wire::parse_connect_query(one->request().query);
    const result<void> origin = net::same_origin(one->request()) ? result<void>() : result<void>(foreign_origin());
    if (auto wrong = first_error(frames, origin)) {
        co_await one->fail(std::move(*wrong));
        co_return;
    }
    auto socket = co_await one->exchange().upgrade(options_of(use_));
    if (socket.has_error()) {
        co_await one->fail(socket.error());
        co_return;
    }
    auto session = std::make_shared<connect_session>(use_, one->who, std::shared_ptr<net::websocket>(std::move(*socket)), *frames);
    session->share_memory([one] { return one->exchange().share_bytes(); });
    co_await race(serve_connection(session), one->exchange().drain_begun());
    const bool draining = one->exchange().draining();
    co_await end_connection(session, draining);
}

}    // namespace caisson::http
