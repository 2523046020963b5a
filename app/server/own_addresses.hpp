#pragma once

#include <boost/asio/ip/address.hpp>

#include <vector>

namespace caisson {

/// The addresses of this host's interfaces now, up or down (getifaddrs(3)); IPv6 addresses without their scope. Throws std::system_error if
/// getifaddrs fails.
std::vector<boost::asio::ip::address> own_addresses();

}    // namespace caisson
