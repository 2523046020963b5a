#pragma once

#include "adapters/net/stream.hpp"
#include "adapters/net/tls_context.hpp"
#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "tests/adapters/containers/script.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::testing {

/// Something that looks like a Docker Engine and does what the test wrote. It knows GET /_ping and GET /version by itself; what nobody
/// planned is answered with 404. On the test's own context: stop() it before that goes.
class imposter {
public:
    struct seen_request {
        std::string method;
        std::string target;     // as it came
        std::string path;       // without version and query, not decoded
        std::string version;    // "1.41"; empty if the target has none
        std::vector<std::pair<std::string, std::string>> query;
        net::headers fields;
        std::string body;

        std::string query_value(std::string_view name) const;
    };
    struct options {
        bool tcp = false;                                    // on loopback instead of a unix socket
        std::shared_ptr<const net::tls_context> tls = {};    // with it
        std::string version = "20.10.24";
        std::string api_version = "1.41";
    };

    explicit imposter(io_executor executor) : imposter(executor, options()) { }
    imposter(io_executor executor, options how);
    ~imposter();
    imposter(const imposter&) = delete;
    imposter& operator=(const imposter&) = delete;

    /// "unix:///…/s" or "tcp://127.0.0.1:PORT"; the same for as long as it lives.
    const std::string& address() const;

    /// Plans the next answer to `method` and `path` (without version and query, as it is sent). Answers are given in the order of planning,
    /// the last one to all that come after. Lives as long as the imposter.
    script& on(std::string_view method, std::string_view path);
    /// Forgets what was planned for it; running answers go on.
    void forget(std::string_view method, std::string_view path);

    /// All requests so far, those without a plan and pings too.
    const std::vector<seen_request>& requests() const;
    std::vector<seen_request> requests(std::string_view method, std::string_view path) const;
    /// Returns when `count` of these requests came in all.
    task<> until_requests(std::string method, std::string path, std::size_t count);
    /// Returns when `bytes` are among what came behind the request.
    task<> until_received(const script& from, std::string bytes);
    task<> until_input_ended(const script& from);

    std::size_t connections() const;
    std::size_t connections_ever() const;
    /// Reads nothing from connections until uncork().
    void cork();
    void uncork();

    /// The engine is away: nobody listens, all connections are cut.
    void go_down();
    void come_up();
    task<> stop();

private:
    struct connection;
    struct impl;
    std::shared_ptr<impl> impl_;
};

}    // namespace caisson::testing
