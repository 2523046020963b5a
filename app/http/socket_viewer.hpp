#pragma once

#include "adapters/net/websocket.hpp"
#include "app/http/services.hpp"
#include "app/wire/client_frame.hpp"
#include "app/wire/query.hpp"
#include "core/log/log_reader.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::http {

/// How much a viewer may put into its socket.
struct viewer_share {
    std::size_t queued = 4 << 20;    // it waits while more is queued there, by whomever
    std::size_t batch = 1 << 20;     // what it reads at once
};

/// Of a socket that may hold about `bytes` and is shared by `viewers`.
viewer_share share_of(std::size_t bytes, std::size_t viewers);

/// One execution's log on its way into a WebSocket.
struct socket_viewer {
    std::shared_ptr<net::websocket> socket;
    std::function<viewer_share()> share;    // asked before each read
    std::unique_ptr<log_reader> log;
    fair_workers* texts = nullptr;    // outlives it; null: the I/O thread is not shared
    tenant_id tenant;
    execution_id id;
    bool pty = false;
    std::string ref;    // of /v1/connect; empty on …/stream
    std::uint32_t ref_no = 0;
    wire::frame_format frames = wire::frame_format::json;
};

/// Sends all events, the live ones as they come, until the exit event is sent or the socket closes. A slow socket holds up
/// nobody else: this viewer waits for it, and what it misses meanwhile it reads from storage. Returns whether the exit event was sent.
task<bool> send_log(std::shared_ptr<socket_viewer> viewer);

/// Returns once little enough waits in `socket` for another error: a client that does not read what is wrong with its frames is read no
/// further. Viewers go on at half of that. `bytes` is what they put there, about.
task<> answers_taken(std::shared_ptr<net::websocket> socket, std::size_t bytes);

/// Frames of clients are text: a binary message ends the connection with 1003.
task<> refuse_binary(std::shared_ptr<net::websocket> socket);

/// Does what a client's frame asks of an execution (stdin, stdin_eof, signal, resize, cancel). `use` outlives the call.
/// Errors: errc::forbidden without the scope "run", and those of execution_service.
task<result<void>> apply_frame(const api_services& use, principal who, execution_id id, wire::client_frame frame);

}    // namespace caisson::http
