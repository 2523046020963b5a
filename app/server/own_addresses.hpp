#pragma once

#include <boost/asio/ip/address.hpp>

#include <vector>

namespace caisson {

/// What the interfaces of this host have now, see getifaddrs(3), with and without being up; IPv6 ones without their scope. Throws
/// std::system_error where the kernel does not tell.
std::vector<boost::asio::ip::address> own_addresses();

}    // namespace caisson
