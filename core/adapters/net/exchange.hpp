#pragma once

#include "core/adapters/net/http_types.hpp"
#include "core/adapters/net/websocket.hpp"
#include "core/async/task.hpp"
#include "core/base/error.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace caisson::net {

/// The body of an answer that is sent as it comes (SSE, JSON lines): chunked, or until close for HTTP/1.0.
class stream_writer {
public:
    virtual ~stream_writer() = default;

    /// Sends `bytes` now; they must stay valid until it returns. False when the client is gone or took nothing for the write
    /// timeout: then stop. An empty text sends nothing.
    virtual task<bool> write(std::string_view bytes) = 0;
    /// Ends the body. A writer that dies without it closes the connection, so that the client sees the answer is cut.
    virtual task<> finish() = 0;
};

/// One request being answered. It is owned by its session, lives until handler::handle returns, and is used on the I/O
/// thread. Exactly one of respond, begin_stream and a successful upgrade must be called, once.
class exchange {
public:
    virtual ~exchange() = default;

    virtual const net::request& request() const = 0;

    /// Whose request this is has been proved (a key was shown): while it runs, its connection is not closed to make room for others.
    virtual void trust() = 0;

    /// How much of a stream's data one answer (or WebSocket) should hold at once, so that clients that take nothing do not fill
    /// the memory together: from 16 KiB, where there are many connections, to 4 MiB.
    virtual std::size_t share_bytes() const = 0;

    /// Sends the answer with Content-Length and X-Request-Id; to HEAD without the body. A client that is gone is not an error.
    virtual task<> respond(response answer) = 0;

    /// Sends `head` (its body is ignored) and lets the body follow. The writer must not outlive the exchange.
    virtual task<std::unique_ptr<stream_writer>> begin_stream(response head) = 0;

    /// Turns the connection into a WebSocket. On an error nothing was sent and respond may still be called.
    /// Errors: errc::bad_request (not a valid WebSocket handshake, or the client went away during it).
    virtual task<result<std::unique_ptr<websocket>>> upgrade(websocket_options options) = 0;

    /// Returns when the client closed or reset the connection; pipelined requests do not count. To be raced with the work:
    /// cancelling it loses nothing. Not after upgrade (the websocket tells) and one call at a time.
    virtual task<> client_gone() = 0;

    /// True once the server is stopping: a handler that waits should answer soon (202 and where to look).
    virtual bool draining() const = 0;
    /// Returns when draining() is true. To be raced with the work.
    virtual task<> drain_begun() = 0;
};

/// What answers requests. One object serves all sessions, on the I/O thread.
class handler {
public:
    virtual ~handler() = default;

    /// Answers `one`. What it throws is logged and becomes 500 if nothing was sent yet.
    virtual task<> handle(exchange& one) = 0;

    /// Asked before a body of more than unasked_body_bytes, or of unknown length, is read: an error is answered instead of reading
    /// it, so that strangers cannot fill the memory. `head` lives until the task ends.
    virtual task<result<void>> admit(const request* head)
    {
        static_cast<void>(head);
        return accept_unasked();
    }
    static constexpr std::uint64_t unasked_body_bytes = 64 << 10;

    /// The largest body taken for this request, in bytes, of which only the head is known; 413 beyond. It is capped by
    /// server_options::max_body_bytes.
    virtual std::uint64_t body_limit(const request& head) const
    {
        static_cast<void>(head);
        return UINT64_MAX;
    }

private:
    static task<result<void>> accept_unasked() { co_return result<void>(); }
};

}    // namespace caisson::net
