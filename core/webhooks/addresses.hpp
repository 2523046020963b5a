#pragma once

#include <boost/asio/ip/address.hpp>

#include <string_view>

namespace caisson {

/// True if `address` is on the public internet. False for loopback, private, carrier-grade NAT, documentation, benchmarking and multicast
/// addresses, and for cloud service addresses. An IPv4 address embedded in an IPv6 address (mapped, NAT64) is judged as IPv4.
bool is_public_address(const boost::asio::ip::address& address);

/// The IPv4 address embedded in an IPv6 address (mapped, NAT64); else `address`.
boost::asio::ip::address without_embedding(const boost::asio::ip::address& address);

/// True if a host is known not to be public before name resolution: a literal that is not public, localhost or *.localhost.
bool is_private_host(std::string_view host);

}    // namespace caisson
