#pragma once

#include "adapters/net/http_types.hpp"
#include "adapters/net/websocket.hpp"
#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/base/shared_bytes.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace caisson::net {

/// How a handler receives the body of a request.
enum class body_mode {
    buffered,    // whole, in request::body, before handle() is called
    streamed,    // handle() is called at the head and reads exchange::body(); request::body stays empty
};

/// A request body that is read as it arrives. Unread bytes stay in the socket, so a slow handler slows its client.
class request_body {
public:
    virtual ~request_body() = default;

    /// Returns the next bytes, at most one input buffer (64 KiB by default); empty at the end and afterwards. The first call sends
    /// "100 Continue" to a client that waits for it. One call at a time, not beside client_gone(), not after the response has begun.
    /// Cancellation ends the connection. Errors, repeated by later calls: errc::too_large (handler::body_limit), errc::timed_out (slower
    /// than server_options allow), errc::bad_request (malformed chunks; the client went away). After an error a handler may return
    /// without a response: the session then responds as for a buffered body (413, 408, 400).
    virtual task<result<shared_bytes>> read() = 0;
};

/// A response body that is sent in pieces (SSE, JSON lines, files): framed by the head's Content-Length if present, else
/// chunked, or until close for HTTP/1.0.
class stream_writer {
public:
    virtual ~stream_writer() = default;

    /// Sends `bytes`, which must stay valid until it returns. Returns false if the client is gone or took nothing for the write
    /// timeout: then stop. Empty `bytes` send nothing. Throws std::logic_error beyond the Content-Length.
    virtual task<bool> write(std::string_view bytes) = 0;
    /// Ends the body. If the writer is destroyed without it, or the body is shorter than its Content-Length, the connection is
    /// closed, so that the client detects the truncation.
    virtual task<> finish() = 0;
};

/// The part of the server's state that the work on one connection may use.
class connection_context {
public:
    virtual ~connection_context() = default;

    /// How many bytes one streamed response (or WebSocket) should buffer, so that stalled clients together do not exhaust the
    /// memory: 16 KiB (many connections) to 4 MiB.
    virtual std::size_t share_bytes() const = 0;

    /// True once the server is stopping: a handler that waits should answer soon (202 and where to look).
    virtual bool draining() const = 0;
    /// Returns once draining() is true. Race it against the work.
    virtual task<> drain_begun() const = 0;
};

/// One request and its response. The session owns it; it lives until handler::handle() returns. I/O thread only. Call exactly one
/// of respond(), begin_stream() and a successful upgrade(), once; none if client_gone() reported that the client left.
class exchange : public connection_context {
public:
    virtual const net::request& request() const = 0;

    /// The body under body_mode::streamed; otherwise an empty one. If the body is not read completely when the response begins, the
    /// connection closes after the response, unless the rest has already arrived.
    virtual request_body& body() = 0;

    /// Marks the request as authenticated for `owner`: while it runs, its connection is not closed to make room for others.
    /// Errors: errc::quota_exceeded if the owner is at its connection limit; the request then stays unauthenticated.
    virtual result<void> mark_authenticated(std::string_view owner) = 0;

    /// Sends the response with Content-Length and X-Request-Id; without the body for HEAD. A client that is gone is not an error.
    virtual task<> respond(response answer) = 0;

    /// Sends `head` without its body and returns a writer for the body. A Content-Length in `head` must equal the body's length.
    /// The writer must not outlive the exchange.
    virtual task<std::unique_ptr<stream_writer>> begin_stream(response head) = 0;

    /// Turns the connection into a WebSocket. On an error nothing was sent and respond may still be called.
    /// Errors: errc::bad_request (not a valid WebSocket handshake, or the client went away during it).
    virtual task<result<std::unique_ptr<websocket>>> upgrade(websocket_options options) = 0;

    /// After an upgrade: runs `rest` once handle() has returned, so that the request's state is freed while the WebSocket lives.
    /// `rest` must not use the exchange. The connection counts as open until `rest` ends.
    virtual void go_on(task<> rest) = 0;
    /// The connection context that `rest` may use instead of the exchange. Valid until `rest` ends.
    virtual const connection_context& lasting() const = 0;

    /// Returns when the client closes or resets the connection; pipelined requests do not count. Race it against the work:
    /// cancellation loses nothing. One call at a time; not after upgrade(), where the websocket reports it.
    virtual task<wait_end> client_gone() = 0;
};

/// Handles requests. One object serves all sessions, on the I/O thread.
class handler {
public:
    virtual ~handler() = default;

    /// Responds to `one`. An exception is logged and becomes a 500 if nothing was sent yet.
    virtual task<> handle(exchange& one) = 0;

    /// Called before reading a body above unasked_body_bytes or of unknown length. Returns the request's owner, as for
    /// exchange::mark_authenticated(). An error is sent as the response and the body is not read, so that unauthenticated clients cannot
    /// fill the memory. `head` lives until the task ends.
    virtual task<result<std::string>> admit(const request* head)
    {
        static_cast<void>(head);
        return accept_unasked();
    }
    static constexpr std::uint64_t unasked_body_bytes = 64 << 10;

    /// How this request's body is delivered; only the head is known. Not called for a request without a body.
    virtual body_mode body_mode_of(const request& head) const
    {
        static_cast<void>(head);
        return body_mode::buffered;
    }

    /// Adds the fields that every response to `from` needs, also one that the server generates (400, 408, 413, 500). Called right
    /// before the head is sent; not for a WebSocket handshake.
    virtual void complete(const request& from, headers& answer) const
    {
        static_cast<void>(from);
        static_cast<void>(answer);
    }

    /// The largest accepted body of this request, in bytes; 413 beyond. Only the head is known. Buffered bodies are also capped by
    /// server_options::max_body_bytes; streamed ones have only this limit.
    virtual std::uint64_t body_limit(const request& head) const
    {
        static_cast<void>(head);
        return UINT64_MAX;
    }

private:
    static task<result<std::string>> accept_unasked() { co_return std::string(); }
};

}    // namespace caisson::net
