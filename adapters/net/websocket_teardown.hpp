#pragma once

#include "adapters/net/websocket_bytes.hpp"

#include <boost/asio/compose.hpp>
#include <boost/beast/core/role.hpp>

#include <cstddef>
#include <memory>
#include <utility>

/// What Beast's WebSocket finds by argument-dependent lookup to end the stream below it. Include it where the WebSocket's operations are.
namespace caisson::net {

/// Beast's teardown after a close handshake: the server shuts down sending; both sides wait for the peer's end.
template <class Handler>
struct teardown_operation {
    static constexpr std::size_t room_bytes = 4096;

    websocket_bytes* on;
    boost::beast::role_type role;
    std::unique_ptr<char[]> room = std::make_unique<char[]>(room_bytes);
    bool begun = false;

    template <class Self>
    void operator()(Self& self, boost::system::error_code failed = {}, std::size_t = 0)
    {
        if (!begun && role == boost::beast::role_type::server)
            on->shutdown_send();
        begun = true;
        if (!failed) {
            auto* const from = on;
            const auto into = asio::buffer(room.get(), room_bytes);
            return from->async_read_some(into, std::move(self));
        }
        on->close();
        const boost::system::error_code good;
        self.complete(failed == asio::error::eof || failed == asio::error::connection_reset ? good : failed);
    }
};

/// Beast's hook for closing an unusable connection.
inline void beast_close_socket(websocket_bytes& on) { on.close(); }

template <class Handler>
void async_teardown(boost::beast::role_type role, websocket_bytes& on, Handler&& handler)
{
    asio::async_compose<Handler, void(boost::system::error_code)>(teardown_operation<Handler>{&on, role}, handler, on);
}

}    // namespace caisson::net
