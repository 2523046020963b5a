#pragma once

#include "adapters/net/http_types.hpp"
#include "adapters/net/pulse.hpp"
#include "adapters/net/stream.hpp"
#include "adapters/net/websocket.hpp"
#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"

#include <cstdint>
#include <memory>

namespace caisson::net {

/// What clients' messages may take of the memory: those that are not whole yet, and those that nobody received yet.
struct message_budget {
    std::uint64_t limit = 0;
    std::uint64_t used = 0;
};

/// What a WebSocket lives on; time and tasks outlive it.
struct websocket_host {
    timers* time;
    task_group* tasks;                           // where its reader and writer run
    std::shared_ptr<message_budget> messages;    // what all of a server have together; null: no bound. Beyond: close 1013
    std::shared_ptr<pulse> looked_after;         // which pings its peer; null: it does so itself
};

/// Answers a checked handshake with 101 and `extra` fields.
/// Errors: errc::bad_request if the client went away.
task<result<std::unique_ptr<websocket>>> accept_websocket(
    stream socket, request handshake, headers extra, websocket_options options, websocket_host host);

/// What a client's handshake needs.
struct websocket_target {
    std::string authority;    // for Host
    std::string target;
    headers fields;
};

/// The client's side, over a connected socket. Errors: the one that the server's status stands for, errc::runtime_unavailable
/// if the connection broke, errc::bad_request if what came is no WebSocket answer.
task<result<std::unique_ptr<websocket>>> open_websocket(stream socket, websocket_target to, websocket_options options, websocket_host host);

}    // namespace caisson::net
