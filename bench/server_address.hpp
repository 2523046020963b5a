#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <string>

namespace caisson::bench {

/// Where a server listens, and the key to present; without a key for servers that ask for none.
struct server_address {
    boost::asio::ip::tcp::endpoint endpoint;
    std::string host;             // as the Host header wants it
    std::string authorization;    // "Bearer …", or empty
};

/// Reads the file that `caisson serve --ready-file` wrote. The host must be an address, as it is for loopback. Throws.
server_address read_ready_file(const std::string& path);

/// 127.0.0.1:`port`.
server_address loopback(std::uint16_t port);

}    // namespace caisson::bench
