#pragma once

#include "adapters/engine/engine.hpp"
#include "adapters/engine/engine_version.hpp"
#include "core/async/deadline.hpp"
#include "core/async/notifier.hpp"

#include <optional>

namespace caisson::docker {

/// What was negotiated.
struct dialect {
    engine_version of;
    api_version spoken;
    std::string target(std::string_view of_request) const { return "/v" + spoken.str() + std::string(of_request); }
};

/// A connection pool, and what the engine speaks.
struct engine::impl {
    impl(io_executor the_executor, timers& the_time, engine_options the_options);

    /// One that others may wait for. Who runs it may outlive this.
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

    /// What is known, else what the engine says now: one request for all who ask meanwhile.
    task<result<dialect>> negotiated(steady_time deadline);
    task<result<dialect>> negotiate(steady_time deadline);
    task<result<dialect>> ask(steady_time deadline);

    /// As an error of this engine; where it seems to be away, what was negotiated is forgotten.
    error failure(error of_client);

    task<result<engine_info>> info(steady_time deadline);
    task<result<boost::json::value>> call(net::request what, steady_time deadline);
    // engine_transfer.cpp
    task<result<std::unique_ptr<net::body_reader>>> open_stream(net::request what, steady_time deadline);
    task<result<std::string>> upload(net::request what, net::body_source* body, net::transfer_options how);
    task<result<std::unique_ptr<net::raw_connection>>> hijack(std::string target, steady_time deadline);
};

}    // namespace caisson::docker
