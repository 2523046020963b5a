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

/// Options of the HTTP server.
net::server_options http_options(const http_config& from);

/// The server's TLS certificate, and the warnings about its transport. I/O thread only.
class transport {
public:
    /// All arguments outlive it.
    transport(const server_config& config, net::server& server, io_executor executor, timers& time, logger& log);

    /// Loads the certificate; call before the server listens. Warns of weaknesses: no TLS beyond this machine, an expired certificate, a
    /// key that others can read, fewer descriptors than connections. Errors: the certificate cannot be used.
    result<void> prepare(std::int64_t most_descriptors);

    /// Reloads changed files within seconds, and repeats warnings about the certificate once a day.
    task<> watch();
    /// Reloads the files at each SIGHUP.
    task<> heed_hangups();

    /// State of the certificate in use, for GET /ready. Empty without TLS.
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
