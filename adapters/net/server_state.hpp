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

/// What a connection is to the server when there are too many. Those of the first four can be closed to make room, in this order,
/// the oldest first.
enum class standing {
    handshake,      // TLS has not begun yet; with newcomers, by age
    newcomer,       // has not sent one whole request
    idle,           // between two requests
    stranger,       // in a request that has not shown a key
    busy,           // being served
    turned_away,    // gets the 503
    leaving,        // closed; its task is about to end
};

/// What counts as one client: an IPv4 address, or the /64 that an IPv6 address lies in.
std::string network_of(const asio::ip::address& address);

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
    notifier drain;                 // once, when draining has begun
    bool draining = false;
    /// Open connections.
    std::size_t size() const;
    /// Each connection is in one of these lists.
    std::list<connection*>& at(standing where) { return standings[static_cast<std::size_t>(where)]; }
    std::array<std::list<connection*>, 7> standings;
    std::unordered_map<std::string, std::size_t> by_address;    // only if max_connections_per_address is set
    std::uint64_t bodies_bytes = 0;                             // held now
    owner_book owners;
    std::shared_ptr<const tls_context> tls;      // of new connections; null: plain
    std::shared_ptr<message_budget> messages;    // of all WebSockets
    std::shared_ptr<pulse> looked_after;         // they too
    steady_time warned_of_fullness;

private:
    std::string id_prefix_;
    std::uint64_t last_id_ = 0;
};

}    // namespace caisson::net
