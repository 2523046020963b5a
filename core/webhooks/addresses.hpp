#pragma once

#include <boost/asio/ip/address.hpp>

#include <string_view>

namespace caisson {

/// True if `address` belongs to the public internet: not to this host, a private or a provider's network, a range for documentation or
/// tests, a multicast group, or a cloud's own services. An IPv4 address within an IPv6 one (mapped, NAT64) counts as itself.
bool is_public_address(const boost::asio::ip::address& address);

/// The IPv4 address within an IPv6 one (mapped, NAT64); else `address` itself.
boost::asio::ip::address without_embedding(const boost::asio::ip::address& address);

/// What can be told of a host before its name is resolved: a literal that is not public, or a name that always means this host.
bool is_private_host(std::string_view host);

}    // namespace caisson
