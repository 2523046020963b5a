#pragma once

#include "adapters/net/client.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"

#include <boost/json/value.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace caisson::docker {

struct engine_options {
    std::string address = "unix:///var/run/docker.sock";    // or tcp://HOST:PORT
    std::filesystem::path ca_file = {};                     // PEM; enables TLS for tcp://
    std::filesystem::path certificate_file = {};            // PEM, this client's certificate; needs key_file
    std::filesystem::path key_file = {};
    std::chrono::milliseconds timeout{30'000};    // of a request without its own deadline
};

/// The engine's description of itself.
struct engine_info {
    std::string version;                  // "20.10.24"
    std::string api_version;              // as negotiated: "1.41"
    std::string architecture;             // "amd64", as images name it
    std::string cgroup_version;           // "1" or "2"
    std::vector<std::string> runtimes;    // names of OCI runtimes: "runc", "runsc"
    bool live_restore = false;
    std::int64_t memory_bytes = 0;
};

/// A client of one Docker Engine's HTTP API. Negotiates the version before the first request and after the engine was unreachable.
/// I/O thread only; must outlive everything it returned. Errors of all calls: errc::runtime_unavailable if the engine is unreachable,
/// disconnects, answers 5xx or violates its protocol; errc::timed_out; errc::not_found, errc::conflict, errc::bad_request,
/// errc::forbidden by status; with the engine's message in the detail.
class engine {
public:
    /// Throws std::runtime_error with the fault if the address or the files are unusable.
    engine(io_executor executor, timers& time, engine_options options);
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    const std::string& address() const;
    /// True for a Unix socket: the engine may run on this host.
    bool local() const;
    /// True for TCP without TLS: others on the network can read and change the traffic.
    bool exposed() const;
    /// The clock of its deadlines.
    timers& time() const;
    /// The default deadline of a request made now: engine_options::timeout from now.
    steady_time deadline() const;

    task<result<engine_info>> info(steady_time deadline);

    /// `target` has no version: "/containers/ID/json". Returns null for a response without a body, including 304 (no change needed).
    task<result<boost::json::value>> call(std::string method, std::string target, steady_time deadline);
    task<result<boost::json::value>> call(std::string method, std::string target, boost::json::value body, steady_time deadline);

    /// Opens a streamed response; `deadline` covers its head. Adds `fields` to the request ("X-Registry-Auth").
    task<result<std::unique_ptr<net::body_reader>>> open_stream(
        std::string method, std::string target, net::headers fields, steady_time deadline);

    /// Sends `body` (a tar) and returns at most 1 MiB of the response. Also returns the errors of `body`.
    task<result<std::string>> upload(std::string method, std::string target, net::body_source& body, net::transfer_options how = {});

    /// Asks the engine to hand over the connection (attach). Bytes that followed the response head are read first.
    task<result<std::unique_ptr<net::raw_connection>>> hijack(std::string target, steady_time deadline);

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// `text` percent-encoded for a path segment or a query value.
std::string escaped(std::string_view text);

}    // namespace caisson::docker
