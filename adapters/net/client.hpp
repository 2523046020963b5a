#pragma once

#include "adapters/net/http_types.hpp"
#include "adapters/net/raw_connection.hpp"
#include "adapters/net/url.hpp"
#include "adapters/net/websocket.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"
#include "core/base/shared_bytes.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson::net {

/// Resolves a host, a name or a literal. The client connects to these addresses only. An error ends the request.
using address_finder = std::function<task<result<std::vector<asio::ip::address>>>(std::string host)>;

struct client_options {
    std::uint64_t max_response_bytes = 256ull << 20;    // for send() and upload()
    std::size_t max_head_bytes = 64 * 1024;
    std::size_t max_idle_connections = 4;
    std::filesystem::path ca_file = {};             // https: PEM certificates of the CAs to trust instead of the system's
    address_finder addresses = {};                  // not set: the system resolver
    std::filesystem::path certificate_file = {};    // https: the client's own certificate, PEM, for servers that ask for one
    std::filesystem::path key_file = {};            // the key of that certificate
};

/// The server's answer to a request to hand over the connection.
struct upgrade_answer {
    response answer;                               // with at most 64 KiB of its body if the server kept the connection
    std::unique_ptr<raw_connection> connection;    // null if the server kept it
};

/// A request body that is produced while it is sent. Must outlive the upload.
class body_source {
public:
    virtual ~body_source() = default;
    virtual std::uint64_t size_bytes() const = 0;
    /// Returns the next bytes, at least one until size_bytes() have been returned. An error ends the upload with that error.
    virtual task<result<shared_bytes>> read() = 0;
};

/// Takes the next bytes of a response body. An error ends the download with that error.
using body_sink = std::function<task<result<void>>(shared_bytes piece)>;

struct transfer_options {
    std::chrono::milliseconds connect_timeout{10'000};
    std::chrono::milliseconds stall_timeout{60'000};                // for each piece of at most 256 KiB
    std::chrono::milliseconds answer_timeout{60'000};               // for the whole response to an upload; the head of a download's
    std::function<void(std::uint64_t done_bytes)> progress = {};    // after each piece
};

/// A response whose body is read as it arrives (SSE, JSON lines, downloads). Destroying it closes the connection.
class body_reader {
public:
    virtual ~body_reader() = default;

    /// Status and fields; the body is empty.
    virtual const response& head() const = 0;
    /// Returns the next bytes, at least one; nothing at the end. One call at a time; safe to cancel.
    /// Errors: errc::runtime_unavailable if the connection broke before the end; errc::bad_request for malformed chunks.
    virtual task<result<std::optional<std::string>>> read() = 0;
};

/// Sends requests to one server over http://, https:// or a Unix socket, with kept-alive connections. Always verifies the
/// server's certificate. I/O thread only. Must outlive the operations it started. A response with any status is a success.
/// Errors: errc::runtime_unavailable (cannot connect, or the connection broke), errc::timed_out, errc::bad_request (the answer is
/// not HTTP, or the certificate is untrusted), errc::too_large.
class client {
public:
    client(io_executor executor, timers& time, url server, client_options options = {});
    ~client();
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    /// Sends `what` (method, target, fields, body; adds Host and Content-Length) and reads the whole response. Retries a request
    /// with an idempotent method once if a kept connection turned out to be dead.
    task<result<response>> send(request what, steady_time deadline);

    /// Like send(), but returns once the head is read. `deadline` covers the head only.
    task<result<std::unique_ptr<body_reader>>> open_stream(request what, steady_time deadline);

    /// Sends `what` with Content-Length and the bytes of `body`, piece by piece, on a new connection, and reads the whole response.
    /// Stops sending when a response (a refusal) arrives early. Also returns the errors of `body`.
    task<result<response>> upload(request what, body_source& body, transfer_options how = {});

    /// Passes the body of a 2xx response to `to` as it arrives and returns the head. Another response is returned with at most
    /// 64 KiB of its body. Does not follow redirects. Also returns the errors of `to`.
    task<result<response>> download(request what, body_sink to, transfer_options how = {});

    /// Opens a WebSocket at `target`. The client must outlive it.
    /// Errors: also error_of_status() of the response if the server declines.
    task<result<std::unique_ptr<websocket>>> connect_websocket(
        std::string target, headers fields, steady_time deadline, websocket_options options = {});

    /// Asks the server to hand over a new connection (Connection: Upgrade; Upgrade: tcp unless `what` names another protocol).
    /// The server agrees with a 101, or, as old engines do, with a 200 whose body ends at close. The connection may outlive the client.
    task<result<upgrade_answer>> upgrade(request what, steady_time deadline);

    const url& server() const;
    /// True if a connection has been made at least once.
    bool reached() const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// The error for a status of 300 or more, with the `message` of a JSON error body, or the start of the body.
error error_of_status(int status, std::string_view body);

}    // namespace caisson::net
