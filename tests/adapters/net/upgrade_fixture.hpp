#pragma once

#include "adapters/net/client.hpp"
#include "adapters/net/stream.hpp"
#include "tests/adapters/net/fixture.hpp"
#include "tests/support/certificates.hpp"

#include <boost/asio/local/stream_protocol.hpp>

namespace caisson::net {

using upgrade_listener = asio::basic_socket_acceptor<asio::generic::stream_protocol, io_executor>;

inline const std::string switched =
    "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/x-raw\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
inline const std::string old_style = "HTTP/1.1 200 OK\r\nContent-Type: application/x-raw\r\n\r\n";

/// What a server does once it has spoken; wait and reset end when the client said something, or left.
enum class afterwards { echo, wait, close, reset };

/// One connection of a server that reads a request's head and then says what it was told.
struct upgrade_script {
    std::string says;
    afterwards then = afterwards::close;
    std::shared_ptr<const tls_context> tls = nullptr;
    std::string heard = {};    // the request's head
    std::string echoed = {};
    bool ended = false;
};

/// Accepts one connection and does with it what it is told.
task<> play(upgrade_listener* at, upgrade_script* how);

/// A client of such a server.
class upgrade_test : public server_test {
protected:
    void begin(upgrade_script what, client_options own = {})
    {
        how = std::move(what);
        const tcp::endpoint any(asio::ip::make_address("127.0.0.1"), 0);
        begin_at(any, own,
            [](const auto& where) { return url{"127.0.0.1", tcp::endpoint(asio::ip::make_address("127.0.0.1"), port_of(where)).port()}; });
    }
    void begin_locally(upgrade_script what)
    {
        how = std::move(what);
        const auto path = shop.path("s").string();
        begin_at(asio::local::stream_protocol::endpoint(path), {}, [path](const auto&) { return url::parse("unix://" + path).value(); });
    }
    template <class MakeUrl>
    void begin_at(asio::generic::stream_protocol::endpoint where, const client_options& own, MakeUrl make)
    {
        door.emplace(context, where);
        asio::co_spawn(context, play(&*door, &how), [](std::exception_ptr) { });
        auto to = make(door->local_endpoint());
        to.encrypted = how.tls != nullptr;
        user.emplace(context.get_executor(), time, std::move(to), own);
    }
    static std::uint16_t port_of(const asio::generic::stream_protocol::endpoint& where)
    {
        tcp::endpoint out;
        out.resize(where.size());
        std::memcpy(out.data(), where.data(), where.size());
        return out.port();
    }

    result<upgrade_answer> ask(headers fields = {})
    {
        request what{.method = "POST", .target = "/attach?stream=1", .fields = std::move(fields)};
        return run(user->upgrade(std::move(what), time.steady_now() + std::chrono::minutes(1)));
    }
    std::unique_ptr<raw_connection> connected()
    {
        auto got = ask();
        if (got.has_error())
            throw std::runtime_error(got.error().detail);
        return std::move(got->connection);
    }
    std::string read(raw_connection& from, std::size_t count)
    {
        std::string out;
        while (out.size() < count) {
            std::string room(std::min<std::size_t>(count - out.size(), 100'000), '\0');
            const auto got = run(from.read_some(room));
            if (got == 0)
                break;
            out.append(room, 0, got);
        }
        return out;
    }
    void write(raw_connection& to, std::string_view first, std::string_view second = {})
    {
        const std::array<std::string_view, 2> parts{first, second};
        run(to.write(parts));
    }

    caisson::testing::certificate_workshop shop;
    upgrade_script how;
    std::optional<upgrade_listener> door;
    std::optional<client> user;
};

}    // namespace caisson::net
