#pragma once

#include "adapters/net/http_types.hpp"
#include "adapters/net/message_budget.hpp"
#include "adapters/net/pulse.hpp"
#include "adapters/net/stream.hpp"
#include "adapters/net/websocket.hpp"
#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"

#include <memory>

namespace caisson::net {

/// The dependencies of a WebSocket; `time` and `tasks` must outlive it.
struct websocket_host {
    timers* time;
    task_group* tasks;                           // runs its reader and writer
    std::shared_ptr<message_budget> messages;    // shared by all WebSockets of a server; null: no limit. Beyond: close 1013
    std::shared_ptr<pulse> looked_after;         // schedules the pings; null: the WebSocket does so itself
};

/// Answers a valid handshake with 101 and the `extra` fields.
/// Errors: errc::bad_request if the client went away.
task<result<std::unique_ptr<websocket>>> accept_websocket(
    stream socket, request handshake, headers extra, websocket_options options, websocket_host host);

/// The parameters of a client's handshake.
struct websocket_target {
    std::string authority;    // the Host header
    std::string target;
    headers fields;
};

/// Opens the client's side over a connected socket. Errors: error_of_status() if the server declines, errc::runtime_unavailable
/// if the connection broke, errc::bad_request if the response is not a WebSocket handshake.
task<result<std::unique_ptr<websocket>>> open_websocket(stream socket, websocket_target to, websocket_options options, websocket_host host);

}    // namespace caisson::net
