#include "tests/adapters/net/websocket_fixture.hpp"

#include <utility>

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

using WebSocketHandover = WebSocket;

/// Sends back what comes, until the peer closes.
task<> echo_all(websocket* socket)
{
    while (true) {
        auto next = co_await socket->receive();
        if (!next)
            co_return;
        socket->send_text("echo " + next->data);
    }
}

/// How far a connection came that goes on without its request.
struct handed_over {
    bool handled = false;
    bool drained = false;
    bool ended = false;
};

task<> echo_or_leave(socket_ptr socket, const connection_context* around, handed_over* out)
{
    co_await race(echo_all(socket.get()), around->drain_begun());
    out->drained = around->draining();
    const auto code = out->drained ? close_code::going_away : close_code::normal;
    co_await socket->close(code, "");
    out->ended = true;
}

task<> hand_over(exchange& one, handed_over* out)
{
    websocket_options options;
    auto got = co_await one.upgrade(std::move(options));
    one.go_on(echo_or_leave(std::move(*got), &one.lasting(), out));
    out->handled = true;
}

task<> hand_over_and_fail(exchange& one, handed_over* out)
{
    co_await hand_over(one, out);
    throw std::runtime_error("boom");
}

TEST_F(WebSocketHandover, GoesOnWhenItsRequestIsForgotten)
{
    handed_over how;
    start();
    answers.on["/ws"] = [&how](exchange& one) { return hand_over(one, &how); };
    near = open_client("/ws");
    settle();
    EXPECT_TRUE(how.handled);
    EXPECT_EQ(web->connections(), 1u) << "it counts as open";
    near->send_text("a");
    EXPECT_EQ(receive(*near)->data, "echo a");
    run(near->close(close_code::normal, ""));
    settle();
    EXPECT_TRUE(how.ended);
    EXPECT_EQ(web->connections(), 0u);
    EXPECT_TRUE(log.lines.empty());
}

TEST_F(WebSocketHandover, WhatGoesOnHearsThatTheServerStops)
{
    handed_over how;
    start();
    answers.on["/ws"] = [&how](exchange& one) { return hand_over(one, &how); };
    near = open_client("/ws");
    near->send_text("a");
    EXPECT_EQ(receive(*near)->data, "echo a");
    run(web->stop(time.steady_now() + 1h));
    EXPECT_TRUE(how.drained);
    EXPECT_TRUE(how.ended);
    EXPECT_FALSE(receive(*near));
    EXPECT_EQ(near->peer_close_code(), close_code::going_away);
}

TEST_F(WebSocketHandover, NothingGoesOnAfterAHandlerThatFails)
{
    handed_over how;
    start();
    answers.on["/ws"] = [&how](exchange& one) { return hand_over_and_fail(one, &how); };
    near = open_client("/ws");
    EXPECT_FALSE(receive(*near));
    EXPECT_FALSE(how.ended);
    EXPECT_EQ(near->peer_close_code(), close_code::abnormal);
    settle();
    EXPECT_EQ(web->connections(), 0u);
    EXPECT_EQ(std::exchange(log.lines, {}), std::vector<std::string>{"a request handler failed"});
}

}    // namespace
}    // namespace caisson::net
