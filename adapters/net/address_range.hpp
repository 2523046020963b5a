#pragma once

#include <boost/asio/ip/network_v6.hpp>

#include <optional>
#include <string_view>

namespace caisson::net {

/// Addresses with a common beginning: "10.0.0.0/8", "fd00::/8", or one address alone. An IPv4 address is the same as its form in IPv6.
class address_range {
public:
    /// Nothing if `text` is none: a name, a port behind it, bits beyond the beginning.
    static std::optional<address_range> parse(std::string_view text);

    /// `peer` is an address with a port, as request::peer has it: "127.0.0.1:51234", "[::1]:51234".
    bool holds(std::string_view peer) const;

private:
    explicit address_range(boost::asio::ip::network_v6 network) : network_(network) { }

    boost::asio::ip::network_v6 network_;
};

}    // namespace caisson::net
