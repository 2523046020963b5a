#include "adapters/net/address_range.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace caisson::net {

namespace ip = boost::asio::ip;

namespace {

constexpr int mapped_bits = 96;    // the prefix of an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2)

/// The address as IPv6, without a link-local zone.
std::optional<ip::address_v6> address_of(std::string_view text)
{
    boost::system::error_code wrong;
    const auto address = ip::make_address(std::string(text), wrong);
    if (wrong)
        return std::nullopt;
    if (address.is_v4())
        return ip::make_address_v6(ip::v4_mapped, address.to_v4());
    return ip::address_v6(address.to_v6().to_bytes());
}

std::optional<int> prefix_length(std::string_view text)
{
    int out = 0;
    const auto* const end = text.data() + text.size();
    const auto [stopped, wrong] = std::from_chars(text.data(), end, out);
    return wrong == std::errc() && stopped == end && out >= 0 ? std::optional(out) : std::nullopt;
}

}    // namespace

std::optional<address_range> address_range::parse(std::string_view text)
{
    const auto slash = text.find('/');
    const auto address = address_of(text.substr(0, slash));
    if (!address)
        return std::nullopt;
    const bool is_v4 = text.substr(0, slash).find(':') == std::string_view::npos;
    constexpr int all_bits = 128;
    const auto said = slash == std::string_view::npos ? std::optional(all_bits) : prefix_length(text.substr(slash + 1));
    const int bits = said.value_or(0) + (is_v4 && slash != std::string_view::npos ? mapped_bits : 0);
    if (!said || bits > all_bits)
        return std::nullopt;
    const ip::network_v6 network(*address, static_cast<unsigned short>(bits));
    if (network.network() != *address)
        return std::nullopt;
    return address_range(network);
}

bool address_range::holds(std::string_view peer) const
{
    const auto colon = peer.rfind(':');
    auto text = peer.substr(0, std::min(colon, peer.size()));
    if (text.starts_with('[') && text.ends_with(']'))
        text = text.substr(1, text.size() - 2);
    const auto address = address_of(text);
    return address && ip::network_v6(*address, network_.prefix_length()).network() == network_.network();
}

}    // namespace caisson::net
