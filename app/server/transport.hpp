#pragma once

#include "adapters/net/server.hpp"
#include "adapters/net/tls_files.hpp"
#include "core/async/timers.hpp"
#include "core/base/config.hpp"
#include "core/base/log.hpp"

#include <boost/asio/basic_signal_set.hpp>

#include <array>
#include <optional>
#include <string>

namespace caisson {

/// What the HTTP server is made with.
net::server_options http_options(const http_config& from);

/// The certificate of a server and what is said about its transport. I/O thread only.
class transport {
public:
    /// All outlive it.
    transport(const server_config& config, net::server& server, io_executor executor, timers& time, logger& log);

    /// Before the server listens: takes the certificate, and warns of what is weak: no TLS beyond this machine, a certificate that has
    /// expired, a key that others can read, fewer descriptors than connections. Errors: the certificate cannot be used.
    result<void> prepare(std::int64_t most_descriptors);

    /// Takes new files within seconds of their change, and warns once a day while the certificate is about to expire.
    task<> watch();
    /// Takes the files anew at each SIGHUP.
    task<> heed_hangups();

    /// Of the certificate in use, for GET /ready. Nothing without TLS.
    struct state {
        bool valid = false;
        std::string detail;
    };
    std::optional<state> certificate() const;

private:
    net::tls_files files() const { return {config_.http.tls.certificate, config_.http.tls.key}; }
    result<void> load();
    void reload();
    void warn_of_weaknesses();

    const server_config& config_;
    net::server& server_;
    timers& time_;
    logger& log_;
    asio::basic_signal_set<io_executor> hangups_;
    std::shared_ptr<const net::tls_context> in_use_;
    std::array<net::file_stamp, 2> seen_;
};

}    // namespace caisson
