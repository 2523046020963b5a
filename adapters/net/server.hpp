#pragma once

#include "adapters/net/exchange.hpp"
#include "adapters/net/owners.hpp"
#include "adapters/net/tls_context.hpp"
#include "core/async/timers.hpp"
#include "core/base/log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace caisson::net {

/// Limits on the size and time of client requests. A refusal names the limit.
struct server_options {
    std::size_t max_request_line_bytes = 8 * 1024;    // 414
    std::size_t max_header_bytes = 32 * 1024;         // 431; all fields together, without the request line
    std::size_t max_header_count = 100;               // 431
    std::uint64_t max_body_bytes = 80ull << 20;       // 413; handler::body_limit may lower it
    std::uint64_t max_bodies_bytes = 512ull << 20;    // 503; bodies of all connections in memory
    std::size_t max_connections = 1024;               // beyond: evicts one (make_room in server.cpp); 503 with Retry-After if all are busy
    std::size_t max_connections_per_address = 0;      // 503 beyond; 0: no limit. An IPv6 /64 counts as one address
    std::size_t max_handshakes = 64;                  // concurrent TLS handshakes; others wait in the listen queue
    std::uint64_t max_messages_bytes = 256ull << 20;      // incoming WebSocket messages in memory: close 1013 beyond
    std::uint64_t max_streams_bytes = 512ull << 20;       // approximate, of queued output to all stream clients; see share_bytes()
    std::size_t max_requests_per_connection = 100'000;    // then "Connection: close"

    std::chrono::milliseconds header_timeout{10'000};    // from the first byte of a request to the end of its head: 408
    std::chrono::milliseconds body_timeout{30'000};      // for each min_body_bytes of a body, or 1/16 of the bytes received: 408
    std::size_t min_body_bytes = 16 * 1024;
    std::chrono::milliseconds write_timeout{30'000};    // while the client takes no byte: the connection is cut
    std::chrono::milliseconds idle_timeout{75'000};     // between requests, and before the first
    std::chrono::milliseconds linger_timeout{2'000};    // after the last response, for the client to close
    std::chrono::milliseconds sweep_interval{1'000};    // the largest delay of a timeout
    std::chrono::seconds retry_after{2};                // in a 503 or 429
};

struct endpoint {
    std::string address;    // "127.0.0.1", "::1"
    std::uint16_t port = 0;
    bool encrypted = false;
    /// "http://127.0.0.1:8080", "https://[::1]:8080"
    std::string url() const;
};

/// An HTTP/1.1 and 1.0 server: keep-alive, ordered pipelining, chunked bodies, 100-continue, HEAD, WebSocket; plain or over TLS.
/// I/O thread only. Call stop() before destroying it, or destroy it when the context no longer runs.
class server {
public:
    /// All references must outlive the server and the context's last handler.
    server(io_executor executor, timers& time, logger& log, handler& answers, server_options options = {});
    ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    /// Binds and starts accepting; port 0 picks a free port. A name may resolve to several addresses ("localhost"), all on one port.
    /// May be called again for another address. Errors: errc::conflict (in use), errc::forbidden (a port below 1024 without
    /// permission), errc::bad_request (no such address here).
    result<std::vector<endpoint>> listen(const std::string& host, std::uint16_t port);

    /// Sets the TLS context of new connections; null: plain. Open connections are unchanged.
    void set_tls(std::shared_ptr<const tls_context> with);

    /// Takes effect at once, but closes no open connection.
    void set_owner_bounds(owner_bounds bounds);

    /// Stops accepting, closes idle connections, lets running exchanges finish until `deadline`, then cuts them and waits until
    /// they have ended. Do not call it from a handler.
    task<> stop(steady_time deadline);

    /// Open connections, WebSockets included.
    std::size_t connections() const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}    // namespace caisson::net
