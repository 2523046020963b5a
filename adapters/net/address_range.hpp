#pragma once

#include <boost/asio/ip/network_v6.hpp>

#include <optional>
#include <string_view>

namespace caisson::net {

/// A CIDR range ("10.0.0.0/8", "fd00::/8") or a single address. An IPv4 address equals its IPv4-mapped IPv6 form.
class address_range {
public:
    /// Returns nothing if `text` is not a range: a host name, an address with a port, or bits set beyond the prefix.
    static std::optional<address_range> parse(std::string_view text);

    /// `peer` is an address with a port, in the format of request::peer: "127.0.0.1:51234", "[::1]:51234".
    bool holds(std::string_view peer) const;

private:
    explicit address_range(boost::asio::ip::network_v6 network) : network_(network) { }

    boost::asio::ip::network_v6 network_;
};

}    // namespace caisson::net
