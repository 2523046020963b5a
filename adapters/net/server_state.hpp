#pragma once

#include "adapters/net/owners.hpp"
#include "adapters/net/server.hpp"
#include "adapters/net/socket.hpp"
#include "adapters/net/websocket_stream.hpp"
#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"

#include <array>
#include <list>
#include <string>
#include <unordered_map>

namespace caisson::net {

class connection;

/// A connection's eviction class. The first four can be evicted, in this order, the oldest first.
enum class standing {
    handshake,      // the TLS handshake is not finished; ordered with newcomers by age
    newcomer,       // has not sent one whole request
    idle,           // between two requests, or lingering after the last
    stranger,       // within a request that is not authenticated
    busy,           // being served
    turned_away,    // above the limit, gets the 503
    leaving,        // closed; its task is about to end
};

/// The key of one client address: an IPv4 address, or the /64 of an IPv6 address.
std::string network_of(const asio::ip::address& address);

/// The state shared by all connections of a server. Their coroutine frames hold it, so it may outlive the server.
struct server_state {
    server_state(io_executor the_executor, timers& the_time, logger& the_log, handler& the_answers, server_options the_options);

    /// "req_", a random prefix and a number that is unique in this process.
    std::string next_request_id();

    io_executor executor;
    timers& time;
    logger& log;
    handler& answers;
    const server_options options;
    task_group* tasks = nullptr;    // the server's; valid while it runs
    notifier drain;                 // notified once, when draining begins
    bool draining = false;
    std::size_t size() const;
    /// Each connection is in exactly one of these lists.
    std::list<connection*>& at(standing where) { return standings[static_cast<std::size_t>(where)]; }
    std::array<std::list<connection*>, 7> standings;
    std::unordered_map<std::string, std::size_t> by_address;    // only if max_connections_per_address is set
    std::uint64_t bodies_bytes = 0;                             // in memory now
    owner_book owners;
    std::shared_ptr<const tls_context> tls;      // for new connections; null: plain
    std::shared_ptr<message_budget> messages;    // shared by all WebSockets
    std::shared_ptr<pulse> looked_after;         // pings all WebSockets
    steady_time warned_of_fullness;

private:
    std::string id_prefix_;
    std::uint64_t last_id_ = 0;
};

}    // namespace caisson::net
