#include "app/server/own_addresses.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include <algorithm>

namespace caisson {

namespace {

namespace asio = boost::asio;

/// Which there are depends on the host: those that a socket can have are among them.
TEST(OwnAddresses, HaveThatOfASocket)
{
    asio::io_context context;
    boost::system::error_code failed;
    asio::ip::tcp::acceptor listener(context);
    const asio::ip::tcp::endpoint loopback(asio::ip::address_v4::loopback(), 0);
    listener.open(loopback.protocol());
    listener.bind(loopback, failed);
    asio::ip::tcp::socket client(context);
    if (!failed)
        listener.listen(1, failed);
    if (!failed)
        client.connect(listener.local_endpoint(), failed);
    const auto found = own_addresses();
    if (!failed)    // else the interface is down
        EXPECT_NE(std::ranges::find(found, client.local_endpoint().address()), found.end());
}

}    // namespace

}    // namespace caisson
