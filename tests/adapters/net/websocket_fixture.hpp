#pragma once

#include "adapters/net/client.hpp"
#include "core/async/deadline.hpp"
#include "tests/adapters/net/fixture.hpp"

#include <memory>
#include <optional>
#include <string>

namespace caisson::net {

using socket_ptr = std::unique_ptr<websocket>;

/// Opens a WebSocket and hands it to the test; the exchange ends when the test says so.
struct upgraded {
    explicit upgraded(io_executor executor) : released(executor) { }
    socket_ptr socket;
    std::optional<error> failed;
    notifier released;
};

inline task<> upgrade(exchange& one, websocket_options options, upgraded* out)
{
    auto got = co_await one.upgrade(std::move(options));
    if (got.has_error()) {
        out->failed = got.error();
        auto answer = ok(got.error().detail);
        answer.status = 400;
        co_await one.respond(std::move(answer));
        co_return;
    }
    out->socket = std::move(*got);
    co_await out->released.wait_past(0);
}

class WebSocket : public server_test {
protected:
    void TearDown() override
    {
        near.reset();
        far.socket.reset();
        far.released.notify_all();
        settle();
        server_test::TearDown();
    }

    /// A client's socket in `near`, the server's in `far`.
    void open(websocket_options own_options = {}, websocket_options client_options = {}, server_options of_all = {})
    {
        start(of_all);
        answers.on["/ws"] = [this, own_options](exchange& one) { return upgrade(one, own_options, &far); };
        near = open_client("/ws", std::move(client_options));
        settle();
        ASSERT_TRUE(far.socket);
    }

    socket_ptr open_client(std::string target, websocket_options options = {})
    {
        user.emplace(context.get_executor(), time, url{at.address, at.port});
        auto got = run(user->connect_websocket(std::move(target), {}, time.steady_now() + std::chrono::hours(1), std::move(options)));
        if (got.has_error())
            throw std::runtime_error(got.error().detail);
        return std::move(*got);
    }

    std::optional<message> receive(websocket& from) { return run(from.receive()); }

    std::optional<client> user;
    upgraded far{context.get_executor()};
    socket_ptr near;
};

}    // namespace caisson::net
