#pragma once

#include "adapters/net/client.hpp"
#include "adapters/net/client_connection.hpp"
#include "adapters/net/websocket_stream.hpp"
#include "core/async/deadline.hpp"

#include <deque>

namespace caisson::net {

using connection_ptr = std::unique_ptr<client_connection>;

/// The client's connections and the implementation of its operations.
struct client::impl {
    impl(io_executor executor, timers& the_time, url the_server, client_options the_options)
        : time(the_time), server(std::move(the_server)), options(std::move(the_options)), tasks(executor, silent)
    {
    }

    struct begun {
        connection_ptr connection;
        response head;
    };

    timers& time;
    const url server;
    const client_options options;
    null_logger silent;
    task_group tasks;
    std::deque<connection_ptr> idle;

    std::shared_ptr<const tls_context> trust;    // created on first use
    bool reached = false;

    connection_ptr take_idle();
    task<result<stream>> connect();
    using shared_request = std::shared_ptr<const request>;
    task<result<begun>> begin(shared_request what, std::uint64_t max_body_bytes);
    task<result<response>> begin_on(client_connection* on, shared_request what, std::uint64_t max_body_bytes);
    task<result<response>> send(request what);
    task<result<std::unique_ptr<body_reader>>> open_stream(request what);
    task<result<std::unique_ptr<websocket>>> open(websocket_target to, websocket_options how);
    // client_transfer.cpp
    task<result<response>> upload(request what, body_source* body, transfer_options how);
    task<result<void>> send_body(client_connection* on, body_source* body, const transfer_options* how);
    task<result<response>> read_answer(client_connection* from, std::string method);
    task<result<response>> download(request what, body_sink to, transfer_options how);
    // client_upgrade.cpp
    task<result<upgrade_answer>> upgrade(request what);

    template <class T>
    task<result<T>> bounded(steady_time deadline, task<result<T>> work);
};

template <class T>
task<result<T>> client::impl::bounded(steady_time deadline, task<result<T>> work)
{
    auto got = co_await with_deadline(time, deadline, std::move(work));
    if (got.has_error() && got.error().code == errc::timed_out)
        co_return error{errc::timed_out, server.str() + " did not answer in time"};
    co_return got;
}

}    // namespace caisson::net
