#pragma once

#include "core/adapters/net/server.hpp"
#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"

#include <list>
#include <string>

namespace caisson::net {

class connection;

/// What all connections of a server share. Their frames hold it, so it may outlive the server.
struct server_state {
    server_state(io_executor the_executor, timers& the_time, logger& the_log, handler& the_answers, server_options the_options);

    /// "req_" and a number that no other request of this process has.
    std::string next_request_id();

    io_executor executor;
    timers& time;
    logger& log;
    handler& answers;
    const server_options options;
    task_group* tasks = nullptr;    // the server's; used while it runs
    notifier drain;
    bool draining = false;
    std::list<connection*> connections;
    std::size_t turned_away = 0;       // of them, those that get the 503
    std::uint64_t bodies_bytes = 0;    // held now

private:
    std::string id_prefix_;
    std::uint64_t last_id_ = 0;
};

}    // namespace caisson::net
