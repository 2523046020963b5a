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
    std::string address = "unix:///var/run/docker.sock";    // also tcp://HOST:PORT; with a ca_file by TLS
    std::filesystem::path ca_file = {};                     // PEM; with it tcp:// is TLS
    std::filesystem::path certificate_file = {};            // PEM, of this client; needs key_file
    std::filesystem::path key_file = {};
    std::chrono::milliseconds timeout{30'000};    // of a request that names no deadline of its own
};

/// What the engine says of itself.
struct engine_info {
    std::string version;                  // "20.10.24"
    std::string api_version;              // that both sides speak: "1.41"
    std::string architecture;             // "amd64", as images name it
    std::string cgroup_version;           // "1" or "2"
    std::vector<std::string> runtimes;    // names of OCI runtimes: "runc", "runsc"
    bool live_restore = false;
    std::int64_t memory_bytes = 0;
};

/// One Docker Engine, spoken to over its HTTP API. The version is negotiated before the first request and again when the
/// engine was away. I/O thread; outlives what it made. Errors of all calls: errc::runtime_unavailable if the engine cannot be
/// reached, breaks off, answers 5xx or what is not its protocol; errc::timed_out; errc::not_found, errc::conflict, errc::bad_request,
/// errc::forbidden by its status; each with the engine's own message in the detail.
class engine {
public:
    /// Throws std::runtime_error, naming what is wrong, for an address or files that cannot be used.
    engine(io_executor executor, timers& time, engine_options options);
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    /// As options.address.
    const std::string& address() const;
    /// True if it is a unix socket, so that the engine may be one of this host.
    bool local() const;
    /// True if what is said to it goes over a network that anybody on the way may read and change: TCP without TLS.
    bool exposed() const;
    /// What its deadlines are of.
    timers& time() const;
    /// Of a request that is made now: engine_options::timeout.
    steady_time deadline() const;

    task<result<engine_info>> info(steady_time deadline);

    /// `target` without the version: "/containers/ID/json". An answer without a body is null, 304 ("it is so already") too.
    task<result<boost::json::value>> call(std::string method, std::string target, steady_time deadline);
    task<result<boost::json::value>> call(std::string method, std::string target, boost::json::value body, steady_time deadline);

    /// An answer that is read as it comes; `deadline` is for its head. `fields` are added to the request ("X-Registry-Auth").
    task<result<std::unique_ptr<net::body_reader>>> open_stream(
        std::string method, std::string target, net::headers fields, steady_time deadline);

    /// Sends `body` (a tar) and returns the whole answer, at most 1 MiB of it.
    task<result<std::string>> upload(std::string method, std::string target, net::body_source& body, net::transfer_options how = {});

    /// A connection that the engine hands over (attach): what it sent behind its head is among the first bytes to be read.
    task<result<std::unique_ptr<net::raw_connection>>> hijack(std::string target, steady_time deadline);

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// `text` as one piece of a path or a query.
std::string escaped(std::string_view text);

}    // namespace caisson::docker
