#include "bench/server_address.hpp"

#include "adapters/net/url.hpp"
#include "bench/arguments.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/json/parse.hpp>

namespace caisson::bench {

namespace asio = boost::asio;

server_address read_ready_file(const std::string& path)
{
    const auto object = boost::json::parse(read_file(path)).as_object();
    const std::string text(object.at("url").as_string());
    const auto where = net::url::parse(text).value();
    server_address out;
    out.endpoint = {asio::ip::make_address(where.host), where.port};
    out.host = where.authority();
    out.authorization = "Bearer " + std::string(object.at("api_key").as_string());
    return out;
}

server_address loopback(std::uint16_t port) { return {{asio::ip::address_v4::loopback(), port}, "127.0.0.1", {}}; }

}    // namespace caisson::bench
