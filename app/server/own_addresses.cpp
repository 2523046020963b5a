#include "app/server/own_addresses.hpp"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace caisson {

namespace ip = boost::asio::ip;

std::vector<ip::address> own_addresses()
{
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0)
        throw std::system_error(errno, std::generic_category(), "the host's addresses");
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, &::freeifaddrs);
    std::vector<ip::address> out;
    for (const auto* each = all.get(); each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr == nullptr)
            continue;
        if (each->ifa_addr->sa_family == AF_INET) {
            sockaddr_in address{};
            std::memcpy(&address, each->ifa_addr, sizeof address);
            ip::address_v4::bytes_type bytes;
            std::memcpy(bytes.data(), &address.sin_addr, bytes.size());
            out.emplace_back(ip::address_v4(bytes));
        } else if (each->ifa_addr->sa_family == AF_INET6) {
            sockaddr_in6 address{};
            std::memcpy(&address, each->ifa_addr, sizeof address);
            ip::address_v6::bytes_type bytes;
            std::memcpy(bytes.data(), &address.sin6_addr, bytes.size());
            out.emplace_back(ip::address_v6(bytes));
        }
    }
    return out;
}

}    // namespace caisson
