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

/// The addresses of a host, a name or a literal; connections are made to these and no others. An error is what the request ends with.
using address_finder = std::function<task<result<std::vector<asio::ip::address>>>(std::string host)>;

struct client_options {
    std::uint64_t max_response_bytes = 256ull << 20;    // of send()
    std::size_t max_head_bytes = 64 * 1024;
    std::size_t max_idle_connections = 4;
    std::filesystem::path ca_file = {};             // of https: PEM certificates of the CAs to trust instead of the system's
    address_finder addresses = {};                  // not set: the system's names
    std::filesystem::path certificate_file = {};    // of https: this client's own, PEM, for servers that ask for one
    std::filesystem::path key_file = {};            // of that certificate
};

/// What a server made of a request to hand over the connection.
struct upgrade_answer {
    response answer;                               // with its body, if it kept the connection: at most 64 KiB of it
    std::unique_ptr<raw_connection> connection;    // null if it kept it
};

/// The body of a request that is sent as it is made. Outlives the upload.
class body_source {
public:
    virtual ~body_source() = default;
    virtual std::uint64_t size_bytes() const = 0;
    /// The next bytes: some, until size_bytes() were given. An error ends the upload with it.
    virtual task<result<shared_bytes>> read() = 0;
};

/// Takes the next bytes of an answer's body. An error ends the download with it.
using body_sink = std::function<task<result<void>>(shared_bytes piece)>;

struct transfer_options {
    std::chrono::milliseconds connect_timeout{10'000};
    std::chrono::milliseconds stall_timeout{60'000};                // for each piece of 256 KiB or less
    std::chrono::milliseconds answer_timeout{60'000};               // for the answer to an upload, or its head to a download
    std::function<void(std::uint64_t done_bytes)> progress = {};    // after each piece
};

/// An answer whose body is read as it comes (SSE, JSON lines, downloads). Destroying it closes the connection.
class body_reader {
public:
    virtual ~body_reader() = default;

    /// Status and fields; the body is empty.
    virtual const response& head() const = 0;
    /// The next bytes as they came, at least one; nothing at the end. One call at a time; safe to cancel.
    /// Errors: errc::runtime_unavailable if the connection broke before the end.
    virtual task<result<std::optional<std::string>>> read() = 0;
};

/// Requests to one server over http://, https:// or a Unix socket, with kept-alive connections. A server's certificate is always
/// verified. I/O thread only. It outlives what it started. Any status
/// is a result; errors are
/// errc::runtime_unavailable (cannot connect, or the connection broke), errc::timed_out, errc::bad_request (what came is not HTTP, or the
/// certificate is not to be trusted) and errc::too_large, with the address and what to do in the detail.
class client {
public:
    client(io_executor executor, timers& time, url server, client_options options = {});
    ~client();
    client(const client&) = delete;
    client& operator=(const client&) = delete;

    /// Sends `what` (method, target, fields, body; Host and Content-Length are added) and reads the whole answer. A request that
    /// is idempotent by its method is sent again once if a kept connection turned out dead.
    task<result<response>> send(request what, steady_time deadline);

    /// As send, but returns at the head. `deadline` is for the head only.
    task<result<std::unique_ptr<body_reader>>> open_stream(request what, steady_time deadline);

    /// Sends `what` with Content-Length and the bytes of `body`, piece by piece, on a connection of its own, and reads the whole answer.
    /// An answer that comes before all is sent (a refusal) ends the sending. Errors: also what `body` gives.
    task<result<response>> upload(request what, body_source& body, transfer_options how = {});

    /// Gives the body of a 2xx answer to `to` as it comes, and returns the head. Of another answer the body is read, at most 64 KiB
    /// of it. Redirects are not followed. Errors: also what `to` gives.
    task<result<response>> download(request what, body_sink to, transfer_options how = {});

    /// A WebSocket at `target`. If the server declines, the detail holds its status and message. The client must outlive it.
    /// Errors: also what error_of_status makes of the server's status.
    task<result<std::unique_ptr<websocket>>> connect_websocket(
        std::string target, headers fields, steady_time deadline, websocket_options options = {});

    /// Asks for the connection (Connection: Upgrade, Upgrade: tcp, unless `what` names another protocol), on one of its own. It is handed
    /// over by a 101, or by a 200 without an end of its own, as old engines give it. The client may end before it.
    task<result<upgrade_answer>> upgrade(request what, steady_time deadline);

    const url& server() const;
    /// Whether a connection could ever be made.
    bool reached() const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// The error that a status of 300 or more stands for, with the `message` of a JSON error body, or the body's beginning.
error error_of_status(int status, std::string_view body);

}    // namespace caisson::net
