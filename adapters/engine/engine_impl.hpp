#pragma once

#include "adapters/engine/engine.hpp"
#include "adapters/engine/engine_version.hpp"
#include "core/async/deadline.hpp"
#include "core/async/notifier.hpp"

#include <optional>

namespace caisson::docker {

/// The result of version negotiation.
struct dialect {
    engine_version of;
    api_version spoken;
    std::string target(std::string_view of_request) const { return "/v" + spoken.str() + std::string(of_request); }
};

/// The connection pool and the negotiated version.
struct engine::impl {
    impl(io_executor the_executor, timers& the_time, engine_options the_options);

    /// A negotiation in progress, which other requests can await. Its coroutine may outlive the impl.
    struct negotiation {
        explicit negotiation(io_executor executor) : ended(executor) { }
        bool over() const { return ended.version() > 0; }
        notifier ended;
        std::optional<error> failed;
    };

    timers& time;
    const engine_options options;
    const io_executor executor;
    net::client user;
    std::optional<dialect> known;
    std::shared_ptr<negotiation> latest;

    /// The known version, else negotiates it. Concurrent callers share one request.
    task<result<dialect>> negotiated(steady_time deadline);
    task<result<dialect>> negotiate(steady_time deadline);
    task<result<dialect>> ask(steady_time deadline);

    /// Converts a client error to an engine error. Forgets the negotiated version unless the error is a timeout.
    error failure(error of_client);

    task<result<engine_info>> info(steady_time deadline);
    task<result<boost::json::value>> call(net::request what, steady_time deadline);
    // engine_transfer.cpp
    task<result<std::unique_ptr<net::body_reader>>> open_stream(net::request what, steady_time deadline);
    task<result<std::string>> upload(net::request what, net::body_source* body, net::transfer_options how);
    task<result<std::unique_ptr<net::raw_connection>>> hijack(std::string target, steady_time deadline);
};

}    // namespace caisson::docker
