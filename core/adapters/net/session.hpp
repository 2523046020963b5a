#pragma once

#include "core/adapters/net/body_decoder.hpp"
#include "core/adapters/net/connection.hpp"
#include "core/adapters/net/head.hpp"

namespace caisson::net {

/// Serves one connection until either side ends it.
task<> serve_connection(std::shared_ptr<server_state> state, tcp_socket socket, std::string peer);

/// Answers 503 to a connection beyond max_connections.
task<> turn_away(std::shared_ptr<server_state> state, tcp_socket socket, std::string peer);

}    // namespace caisson::net
