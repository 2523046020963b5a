#pragma once

#include "adapters/net/body_decoder.hpp"
#include "adapters/net/connection.hpp"
#include "adapters/net/head.hpp"

namespace caisson::net {

/// Serves one connection until either side ends it.
task<> serve_connection(std::shared_ptr<server_state> state, tcp_socket socket, tcp::endpoint peer);

/// Sends 503 with `why` to a connection above the limit and closes it.
task<> turn_away(std::shared_ptr<server_state> state, tcp_socket socket, tcp::endpoint peer, std::string why);

}    // namespace caisson::net
