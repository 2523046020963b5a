#include "core/webhooks/addresses.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace caisson {

namespace {

namespace ip = boost::asio::ip;

struct v4_range {
    std::array<unsigned char, 4> first;
    int bits;
};

/// IANA special-purpose ranges that are not globally reachable, multicast, and Azure's service address 168.63.129.16.
constexpr std::array<v4_range, 17> closed_v4{{{{0, 0, 0, 0}, 8}, {{10, 0, 0, 0}, 8}, {{100, 64, 0, 0}, 10}, {{127, 0, 0, 0}, 8},
    {{168, 63, 129, 16}, 32}, {{169, 254, 0, 0}, 16}, {{172, 16, 0, 0}, 12}, {{192, 0, 0, 0}, 24}, {{192, 0, 2, 0}, 24},
    {{192, 31, 196, 0}, 24}, {{192, 88, 99, 0}, 24}, {{192, 168, 0, 0}, 16}, {{198, 18, 0, 0}, 15}, {{198, 51, 100, 0}, 24},
    {{203, 0, 113, 0}, 24}, {{224, 0, 0, 0}, 4}, {{240, 0, 0, 0}, 4}}};

struct v6_range {
    std::array<unsigned char, 16> first;
    int bits;
};

/// Ranges in 2000::/3 that are not public: protocol assignments and Teredo, documentation, 6to4, documentation. Outside of it, none is.
constexpr std::array<v6_range, 4> closed_v6{{{{0x20, 0x01}, 23}, {{0x20, 0x01, 0x0d, 0xb8}, 32}, {{0x20, 0x02}, 16}, {{0x3f, 0xff}, 20}}};
constexpr v6_range open_v6{{0x20}, 3};
constexpr v6_range nat64{{0x00, 0x64, 0xff, 0x9b}, 96};

template <class Bytes>
bool lies_in(const Bytes& bytes, const Bytes& first, int bits)
{
    for (std::size_t i = 0; bits > 0; ++i, bits -= 8) {
        const auto mask = static_cast<unsigned char>(bits >= 8 ? 0xff : 0xff << (8 - bits));
        if ((bytes[i] & mask) != (first[i] & mask))
            return false;
    }
    return true;
}

bool is_public(const ip::address_v4::bytes_type& bytes)
{
    return std::ranges::none_of(closed_v4, [&](const v4_range& each) { return lies_in(bytes, each.first, each.bits); });
}

bool is_public(const ip::address_v6::bytes_type& bytes)
{
    return lies_in(bytes, open_v6.first, open_v6.bits) &&
           std::ranges::none_of(closed_v6, [&](const v6_range& each) { return lies_in(bytes, each.first, each.bits); });
}

}    // namespace

ip::address without_embedding(const ip::address& address)
{
    if (address.is_v4())
        return address;
    const auto bytes = address.to_v6().to_bytes();
    if (!address.to_v6().is_v4_mapped() && !lies_in(bytes, nat64.first, nat64.bits))
        return address;
    return ip::address_v4(ip::address_v4::bytes_type{bytes[12], bytes[13], bytes[14], bytes[15]});
}

bool is_public_address(const ip::address& address)
{
    const auto meant = without_embedding(address);
    return meant.is_v4() ? is_public(meant.to_v4().to_bytes()) : is_public(meant.to_v6().to_bytes());
}

bool is_private_host(std::string_view host)
{
    if (host.ends_with('.'))
        host.remove_suffix(1);
    if (host == "localhost" || host.ends_with(".localhost"))
        return true;
    boost::system::error_code failed;
    const auto literal = ip::make_address(std::string(host), failed);
    return !failed && !is_public_address(literal);
}

}    // namespace caisson
