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

/// How a handler takes the body of a request.
enum class body_mode {
    buffered,    // whole, in request::body, before handle() is called
    streamed,    // handle() is called at the head and reads exchange::body(); request::body stays empty
};

/// The body of a request that is taken as it comes. What is not read stays in the socket, so that a slow reader slows its client.
class request_body {
public:
    virtual ~request_body() = default;

    /// The next bytes, at most 64 KiB; empty at the end, and from then on. The first call sends "100 Continue" to a client that waits
    /// for it. One call at a time, not beside client_gone(), and not after the answer has begun. Cancelling it ends the connection.
    /// Errors, which later calls repeat: errc::too_large (handler::body_limit), errc::timed_out (slower than server_options allow),
    /// errc::bad_request (broken chunks; the client went away). A handler may return after an error without an answer: the session
    /// then answers as for a buffered body (413, 408, 400).
    virtual task<result<shared_bytes>> read() = 0;
};

/// The body of an answer that is sent as it comes (SSE, JSON lines, files): of the head's Content-Length if it has one, else
/// chunked, or until close for HTTP/1.0.
class stream_writer {
public:
    virtual ~stream_writer() = default;

    /// Sends `bytes` now; they must stay valid until it returns. False when the client is gone or took nothing for the write
    /// timeout: then stop. An empty text sends nothing. Throws std::logic_error beyond the Content-Length.
    virtual task<bool> write(std::string_view bytes) = 0;
    /// Ends the body. A writer that dies without it, or ends before its Content-Length, closes the connection, so that the client
    /// sees the answer is cut.
    virtual task<> finish() = 0;
};

/// The server, as what goes on over one of its connections sees it.
class surroundings {
public:
    virtual ~surroundings() = default;

    /// How much of a stream's data one answer (or WebSocket) should hold at once, so that clients that take nothing do not fill
    /// the memory together: from 16 KiB, where there are many connections, to 4 MiB.
    virtual std::size_t share_bytes() const = 0;

    /// True once the server is stopping: a handler that waits should answer soon (202 and where to look).
    virtual bool draining() const = 0;
    /// Returns when draining() is true. To be raced with the work.
    virtual task<> drain_begun() const = 0;
};

/// One request being answered. It is owned by its session, lives until handler::handle returns, and is used on the I/O
/// thread. Exactly one of respond, begin_stream and a successful upgrade must be called, once; none if client_gone() told that the client
/// left.
class exchange : public surroundings {
public:
    virtual const net::request& request() const = 0;

    /// Of body_mode::streamed; of another request it is at its end. A body that was not read whole when the answer begins ends the
    /// connection after the answer, unless the rest has already come.
    virtual request_body& body() = 0;

    /// It has been proved that this is a request of `owner` (a key was shown): while it runs, its connection is not closed to make room for
    /// others. Errors: errc::quota_exceeded if the owner has all the connections that one may have; it is answered as a stranger's then.
    virtual result<void> trust(std::string_view owner) = 0;

    /// Sends the answer with Content-Length and X-Request-Id; to HEAD without the body. A client that is gone is not an error.
    virtual task<> respond(response answer) = 0;

    /// Sends `head` (its body is ignored) and lets the body follow. A Content-Length in `head` is what the body must come to. The
    /// writer must not outlive the exchange.
    virtual task<std::unique_ptr<stream_writer>> begin_stream(response head) = 0;

    /// Turns the connection into a WebSocket. On an error nothing was sent and respond may still be called.
    /// Errors: errc::bad_request (not a valid WebSocket handshake, or the client went away during it).
    virtual task<result<std::unique_ptr<websocket>>> upgrade(websocket_options options) = 0;

    /// After an upgrade: `rest` goes on with the WebSocket when handle() has returned, so that whatever it took to answer the request
    /// is out of the memory meanwhile. It uses no exchange any more; the connection counts as open until it ends.
    virtual void go_on(task<> rest) = 0;
    /// What `rest` may use in place of the exchange: it lives until then.
    virtual const surroundings& lasting() const = 0;

    /// Until the client closes or resets the connection; pipelined requests do not count. To be raced with the work: cancelling it
    /// loses nothing. Not after upgrade (the websocket tells) and one call at a time.
    virtual task<wait_end> client_gone() = 0;
};

/// What answers requests. One object serves all sessions, on the I/O thread.
class handler {
public:
    virtual ~handler() = default;

    /// Answers `one`. What it throws is logged and becomes 500 if nothing was sent yet.
    virtual task<> handle(exchange& one) = 0;

    /// Asked before a body of more than unasked_body_bytes, or of unknown length, is read: an error is answered instead of reading
    /// it, so that strangers cannot fill the memory. Gives whose request it is, for exchange::trust. `head` lives until the task ends.
    virtual task<result<std::string>> admit(const request* head)
    {
        static_cast<void>(head);
        return accept_unasked();
    }
    static constexpr std::uint64_t unasked_body_bytes = 64 << 10;

    /// How the body of this request is taken, of which only the head is known. Not asked if it has none.
    virtual body_mode body_mode_of(const request& head) const
    {
        static_cast<void>(head);
        return body_mode::buffered;
    }

    /// Adds to `answer` what any answer to `from` is to say, also one that the server gives by itself (400, 408, 413, 500). Asked right
    /// before its head is sent; not of a WebSocket's handshake.
    virtual void complete(const request& from, headers& answer) const
    {
        static_cast<void>(from);
        static_cast<void>(answer);
    }

    /// The largest body taken for this request, in bytes, of which only the head is known; 413 beyond. For a buffered one it is capped
    /// by server_options::max_body_bytes; a streamed one needs a limit from here.
    virtual std::uint64_t body_limit(const request& head) const
    {
        static_cast<void>(head);
        return UINT64_MAX;
    }

private:
    static task<result<std::string>> accept_unasked() { co_return std::string(); }
};

}    // namespace caisson::net
