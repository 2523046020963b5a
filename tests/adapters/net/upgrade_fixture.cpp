#include "tests/adapters/net/upgrade_fixture.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

namespace caisson::net {

namespace {

task<std::string> read_some(stream* from)
{
    std::string room(64 * 1024, '\0');
    boost::system::error_code failed;
    const auto count = co_await from->async_read_some(asio::buffer(room), asio::redirect_error(use_task, failed));
    room.resize(count);
    co_return room;
}

task<> write_all(stream* to, std::string bytes)
{
    boost::system::error_code ignored;
    co_await asio::async_write(*to, asio::buffer(bytes), asio::redirect_error(use_task, ignored));
}

task<> echo(stream* peer, upgrade_script* how)
{
    while (true) {
        const auto bytes = co_await read_some(peer);
        if (bytes.empty())
            break;
        how->echoed += bytes;
        co_await write_all(peer, bytes);
    }
    co_await write_all(peer, "bye");
}

}    // namespace

task<> play(upgrade_listener* at, upgrade_script* how)
{
    auto socket = co_await at->async_accept(use_task);
    stream peer(std::move(socket));
    if (how->tls) {
        peer.start_tls(how->tls);
        co_await peer.async_handshake(use_task);
    }
    while (how->heard.find("\r\n\r\n") == std::string::npos) {
        const auto bytes = co_await read_some(&peer);
        if (bytes.empty())
            co_return;
        how->heard += bytes;
    }
    co_await write_all(&peer, how->says);
    if (how->then == afterwards::echo)
        co_await echo(&peer, how);
    if (how->then == afterwards::wait || how->then == afterwards::reset)
        co_await read_some(&peer);
    boost::system::error_code ignored;
    if (how->then == afterwards::reset) {
        peer.socket().set_option(asio::socket_base::linger(true, 0), ignored);
        peer.socket().close(ignored);
    }
    if (how->then == afterwards::echo)
        peer.close();
    how->ended = true;
}

}    // namespace caisson::net
