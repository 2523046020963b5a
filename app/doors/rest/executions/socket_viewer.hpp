#pragma once

#include "adapters/net/websocket.hpp"
#include "app/doors/http/services.hpp"
#include "app/wire/client_frame.hpp"
#include "app/wire/query.hpp"
#include "core/log/log_reader.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace caisson::http {

/// Memory limits of one viewer.
struct viewer_share {
    std::size_t queued = 4 << 20;    // it waits while the socket queues more, whoever wrote it
    std::size_t batch = 1 << 20;     // the most that it reads at once
};

/// The limits for a socket that may hold about `bytes` and has `viewers`.
viewer_share share_of(std::size_t bytes, std::size_t viewers);

/// Sends one execution's log to a WebSocket.
struct socket_viewer {
    std::shared_ptr<net::websocket> socket;
    std::function<viewer_share()> share;    // called before each read
    std::unique_ptr<log_reader> log;
    fair_workers* texts = nullptr;    // outlives it; null: the I/O thread is not shared
    tenant_id tenant;
    execution_id id;
    bool pty = false;
    std::string ref;    // of /v1/connect; empty on …/stream
    std::uint32_t ref_no = 0;
    wire::frame_format frames = wire::frame_format::json;
};

/// Sends all events, then live ones, until the exit event is sent or the socket closes. A slow socket delays no other client: this viewer
/// waits and later reads what it missed from storage. Returns true if the exit event was sent.
task<bool> send_log(std::shared_ptr<socket_viewer> viewer);

/// Waits until the socket queues at most 2 * `bytes`: a client that does not read its errors is not read further. `bytes` is about what the
/// viewers queue; they resume at half of this limit.
task<> answers_taken(std::shared_ptr<net::websocket> socket, std::size_t bytes);

/// Closes the connection with 1003 after a binary message: client frames are text.
task<> refuse_binary(std::shared_ptr<net::websocket> socket);

/// Applies a client's frame (stdin, stdin_eof, signal, resize, cancel) to an execution. `use` outlives the call. Errors: errc::forbidden
/// without the scope "run", and those of execution_service.
task<result<void>> apply_frame(const api_services& use, principal who, execution_id id, wire::client_frame frame);

}    // namespace caisson::http
