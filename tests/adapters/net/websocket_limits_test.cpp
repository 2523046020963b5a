#include "tests/adapters/net/websocket_fixture.hpp"
#include "tests/support/live_heap.hpp"

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

class WebSocketLimits : public WebSocket {
protected:
    /// A client that speaks frames by itself, upgraded; `far` is the server's end.
    raw_client raw_peer(const websocket_options& options)
    {
        start();
        answers.on["/ws"] = [this, options](exchange& one) { return upgrade(one, options, &far); };
        auto peer = connect();
        run(peer.send("GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"));
        EXPECT_NE(run(peer.until("\r\n\r\n")).find("101"), std::string::npos);
        return peer;
    }
};

TEST_F(WebSocketLimits, MessagesThatNobodyTakesAreBoundedForAllTogether)
{
    websocket_options roomy;
    roomy.max_message_bytes = 1 << 20;
    roomy.max_inbox_messages = 100;
    open(roomy, {}, {.max_messages_bytes = 1 << 20});
    const std::string large(300'000, 'm');
    for (int i = 0; i < 4; ++i)
        near->send_text(large);
    while (near->open())
        run(near->receive());
    EXPECT_EQ(near->peer_close_code(), close_code::try_again_later);
    EXPECT_NE(near->peer_close_reason().find("too many messages"), std::string::npos);
    EXPECT_EQ(receive(*far.socket)->data, large) << "what was there before is not lost";
}

TEST_F(WebSocketLimits, SmallMessagesPassWhateverOthersHold)
{
    open({}, {}, {.max_messages_bytes = 1});
    near->send_text(std::string(30'000, 's'));
    EXPECT_EQ(receive(*far.socket)->data.size(), 30'000u);
    near->send_text(std::string(200'000, 'l'));
    while (near->open())
        run(near->receive());
    EXPECT_EQ(near->peer_close_code(), close_code::try_again_later);
}

TEST_F(WebSocketLimits, AMessageThatHardlyGetsOnEndsTheConnection)
{
    websocket_options impatient;
    impatient.ping_interval = impatient.pong_timeout = 10s;
    auto peer = raw_peer(impatient);
    const std::string begin("\x01\x81\0\0\0\0a", 7);
    const std::string more("\x00\x81\0\0\0\0a", 7);
    run(peer.send(begin));
    for (int i = 0; i < 2; ++i) {
        settle();
        EXPECT_TRUE(far.socket->open()) << i;
        time.advance(10s);
        settle();
        run(peer.send(more));
    }
    settle();
    time.advance(10s);
    settle();
    EXPECT_FALSE(far.socket->open());
}

TEST_F(WebSocketLimits, ALongMessageLeavesNoMemoryBehind)
{
    constexpr std::ptrdiff_t hardly_anything = 4 * 1024;
    open();
    const auto exchange_one = [this](std::size_t bytes) {
        near->send_text(std::string(bytes, 'm'));
        ASSERT_EQ(receive(*far.socket)->data.size(), bytes);
        settle();
    };
    exchange_one(100);    // what the first message makes once
    const auto before = testing::live_heap_bytes();
    exchange_one(300'000);
    EXPECT_LT(testing::live_heap_bytes() - before, hardly_anything);
}

TEST_F(WebSocketLimits, APeerThatDoesNotAnswerPingsIsCut)
{
    websocket_options impatient;
    impatient.ping_interval = 30s;
    impatient.pong_timeout = 10s;
    auto peer = raw_peer(impatient);
    const auto go_on = [this](std::chrono::milliseconds by) {
        settle();
        time.advance(by);
        settle();
    };
    const std::string ping("\x89\0", 2);
    const std::string pong("\x8a\x80\0\0\0\0", 6);
    go_on(30s);
    EXPECT_EQ(run(peer.until(ping)), ping);
    run(peer.send(pong));
    go_on(10s);
    EXPECT_TRUE(far.socket->open());
    go_on(20s);
    EXPECT_EQ(run(peer.until(ping)), ping) << "the next round begins";
    go_on(9s);
    EXPECT_TRUE(far.socket->open());
    go_on(1s);
    EXPECT_FALSE(far.socket->open());
}

TEST_F(WebSocketLimits, APeerThatSendsAndTakesNothingIsCut)
{
    websocket_options client;
    client.max_inbox_messages = 1;
    client.ping_interval = 0s;
    websocket_options own;
    own.max_inbox_messages = 4;
    open(own, client);
    const shared_bytes payload(std::string(256 * 1024, 'p'));
    while (far.socket->queued_bytes() < (4u << 20)) {
        ASSERT_TRUE(far.socket->send_binary("", payload));
        settle();
    }
    for (int i = 0; i < 20; ++i)    // that the server does not take either
        near->send_text("and more");
    settle();
    for (int i = 0; i < 10; ++i) {
        time.advance(20s);
        settle();
    }
    EXPECT_FALSE(far.socket->open());
}

}    // namespace
}    // namespace caisson::net
