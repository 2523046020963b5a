#include "tests/adapters/net/websocket_fixture.hpp"

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

/// Sends back what comes, until the peer closes.
task<> echo(exchange& one)
{
    websocket_options options;
    auto got = co_await one.upgrade(std::move(options));
    auto socket = std::move(*got);
    while (true) {
        auto next = co_await socket->receive();
        if (!next)
            break;
        if (next->kind == message_kind::text)
            socket->send_text("echo " + next->data);
        else
            socket->send_binary("echo ", shared_bytes(next->data));
    }
    co_await socket->close(close_code::normal, "");
}

TEST_F(WebSocket, EchoesTextAndBinary)
{
    start();
    answers.on["/echo-ws"] = echo;
    near = open_client("/echo-ws");
    near->send_text("hallo \xc3\xa9");
    near->send_binary(std::string("\0\1", 2), shared_bytes("\xff"));
    const auto text = receive(*near);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->kind, message_kind::text);
    EXPECT_EQ(text->data, "echo hallo \xc3\xa9");
    const auto binary = receive(*near);
    ASSERT_TRUE(binary);
    EXPECT_EQ(binary->kind, message_kind::binary);
    EXPECT_EQ(binary->data, std::string("echo \0\1\xff", 8));
    run(near->close(close_code::normal, "bye"));
    EXPECT_FALSE(near->open());
}

TEST_F(WebSocket, CarriesLargeAndEmptyMessages)
{
    websocket_options large;
    large.max_message_bytes = 64 << 20;
    open({}, large);
    const std::string payload(10'000'000, 'x');
    EXPECT_TRUE(far.socket->send_binary("", shared_bytes(payload)));
    EXPECT_TRUE(far.socket->send_text(""));
    EXPECT_EQ(receive(*near)->data, payload);
    EXPECT_EQ(receive(*near)->data, "");
    run(far.socket->drained(0));
    EXPECT_EQ(far.socket->queued_bytes(), 0u);
}

TEST_F(WebSocket, TellsTheCloseCodeBothWays)
{
    open();
    far.socket->send_text("last");
    auto closing = far.socket->close(close_code::going_away, "restarting");
    asio::co_spawn(context, std::move(closing), [](std::exception_ptr) { });
    EXPECT_EQ(receive(*near)->data, "last");
    EXPECT_FALSE(receive(*near));
    EXPECT_EQ(near->peer_close_code(), close_code::going_away);
    EXPECT_EQ(near->peer_close_reason(), "restarting");
    settle();
    EXPECT_EQ(far.socket->peer_close_code(), close_code::going_away) << "the peer answers with our code";
    EXPECT_FALSE(far.socket->open());
    EXPECT_FALSE(far.socket->send_text("late"));
}

TEST_F(WebSocket, TheClientMayCloseFirst)
{
    open();
    run(near->close(close_code::normal, std::string(200, 'r')));
    EXPECT_FALSE(receive(*far.socket));
    EXPECT_EQ(far.socket->peer_close_code(), close_code::normal);
    EXPECT_EQ(far.socket->peer_close_reason(), std::string(123, 'r'));
    run(far.socket->close(close_code::normal, ""));
}

TEST_F(WebSocket, ACutConnectionIsAbnormal)
{
    open();
    near.reset();
    EXPECT_FALSE(receive(*far.socket));
    EXPECT_EQ(far.socket->peer_close_code(), close_code::abnormal);
    EXPECT_FALSE(far.socket->open());
}

TEST_F(WebSocket, AMessageBeyondTheLimitIsClose1009)
{
    websocket_options small;
    small.max_message_bytes = 10;
    open(small);
    near->send_text("0123456789");
    near->send_text("0123456789a");
    EXPECT_EQ(receive(*far.socket)->data, "0123456789");
    EXPECT_FALSE(receive(*far.socket));
    EXPECT_FALSE(receive(*near));
    EXPECT_EQ(near->peer_close_code(), close_code::too_big);
    EXPECT_EQ(near->peer_close_reason(), "a message may have at most 10 bytes");
}

TEST_F(WebSocket, InvalidUtf8IsClose1007)
{
    open();
    near->send_text("\xff\xfe");
    EXPECT_FALSE(receive(*far.socket));
    EXPECT_FALSE(receive(*near));
    EXPECT_EQ(near->peer_close_code(), 1007);
    EXPECT_EQ(near->peer_close_reason(), "a text message must be UTF-8");
}

TEST_F(WebSocket, ACloseOfThePeersOwnIsAnsweredAsItIs)
{
    open();
    run(near->close(close_code::too_big, ""));
    EXPECT_EQ(near->peer_close_code(), close_code::too_big);
    EXPECT_EQ(near->peer_close_reason(), "");
}

class WebSocketPeerThatTakesNothing : public WebSocket {
protected:
    /// Much is queued for a peer that reads no more.
    void fill()
    {
        websocket_options tight;
        tight.max_message_bytes = 1 << 20;
        tight.max_inbox_messages = 1;
        open({}, tight);
        const shared_bytes payload(std::string(256 * 1024, 'p'));
        while (far.socket->queued_bytes() < (4u << 20)) {
            ASSERT_TRUE(far.socket->send_binary("", payload));
            settle();
        }
    }
    void close(std::uint16_t code)
    {
        asio::co_spawn(context, far.socket->close(code, "enough"), [this](std::exception_ptr) { closed = true; });
        settle();
    }
    void let_close_time_out()
    {
        time.advance(websocket_options().close_timeout);
        settle();
    }
    bool closed = false;
};

TEST_F(WebSocketPeerThatTakesNothing, IsCutOffIfItMayNotGoOn)
{
    fill();
    close(close_code::policy);
    EXPECT_LT(far.socket->queued_bytes(), 1u << 20) << "what was not being sent is dropped";
    EXPECT_FALSE(closed);
    let_close_time_out();
    EXPECT_TRUE(closed);
}

TEST_F(WebSocketPeerThatTakesNothing, IsCutOffWhoeverClosesOnceMore)
{
    fill();
    EXPECT_TRUE(run(with_deadline(time, time.steady_now(), far.socket->close(close_code::policy, "enough"))).has_error());
    close(close_code::normal);
    EXPECT_FALSE(closed);
    let_close_time_out();
    EXPECT_TRUE(closed);
}

TEST_F(WebSocketPeerThatTakesNothing, IsWaitedForOtherwise)
{
    fill();
    close(close_code::going_away);
    let_close_time_out();
    EXPECT_FALSE(closed);
}

TEST_F(WebSocket, ReceiveMayLoseARaceWithoutLosingAMessage)
{
    open();
    const auto nothing = run(with_deadline(time, time.steady_now(), far.socket->receive()));
    EXPECT_TRUE(nothing.has_error());
    near->send_text("kept");
    EXPECT_EQ(receive(*far.socket)->data, "kept");
}

TEST_F(WebSocket, ASlowReaderBoundsTheSendersQueue)
{
    websocket_options tight;
    tight.max_message_bytes = 1 << 20;
    tight.max_inbox_messages = 1;
    open({}, tight);
    std::size_t sent = 0;
    const shared_bytes payload(std::string(256 * 1024, 'p'));
    while (far.socket->queued_bytes() < (4u << 20)) {
        ASSERT_TRUE(far.socket->send_binary("", payload));
        ++sent;
        settle();
    }
    EXPECT_LT(far.socket->queued_bytes(), 5u << 20);
    bool done = false;
    asio::co_spawn(context, far.socket->drained(1 << 20), [&](std::exception_ptr) { done = true; });
    settle();
    EXPECT_FALSE(done);
    for (std::size_t i = 0; i < sent; ++i)
        ASSERT_EQ(receive(*near)->data.size(), payload.size());
    settle();
    EXPECT_TRUE(done);
}

TEST_F(WebSocket, AQueueBeyondItsLimitCutsTheConnection)
{
    websocket_options small;
    small.max_queued_bytes = 1000;
    open(small);
    EXPECT_TRUE(far.socket->send_text(std::string(500, 'a')));
    EXPECT_FALSE(far.socket->send_text(std::string(500, 'b')));
    EXPECT_FALSE(far.socket->open());
    EXPECT_EQ(run(near->receive()), std::nullopt);
}

TEST_F(WebSocket, PingsKeepALivingPeer)
{
    open();
    for (int i = 0; i < 10; ++i) {
        time.advance(20s);
        settle();
    }
    EXPECT_TRUE(far.socket->open());
    EXPECT_TRUE(near->open());
}

const std::string handshake = "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
                              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

TEST_F(WebSocket, APeerThatAnswersNoPingIsCut)
{
    start();
    answers.on["/ws"] = [this](exchange& one) { return upgrade(one, {}, &far); };
    auto silent = connect();
    run(silent.send(handshake + "\r\n"));
    const auto head = run(silent.until("\r\n\r\n"));
    EXPECT_NE(head.find("HTTP/1.1 101"), std::string::npos) << head;
    EXPECT_NE(head.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), std::string::npos) << head;
    EXPECT_NE(head.find("X-Request-Id: "), std::string::npos) << head;
    settle();
    ASSERT_TRUE(far.socket);
    time.advance(20s);
    settle();
    EXPECT_EQ(run(silent.until(std::string("\x89\x00", 2))), std::string("\x89\x00", 2));
    EXPECT_TRUE(far.socket->open());
    time.advance(20s);
    settle();
    EXPECT_FALSE(far.socket->open());
    EXPECT_EQ(far.socket->peer_close_code(), close_code::abnormal);
}

TEST_F(WebSocket, APeerThatReadsSlowlyIsNotCutByThePing)
{
    start();
    answers.on["/ws"] = [this](exchange& one) { return upgrade(one, {}, &far); };
    auto slow = connect();
    run(slow.send(handshake + "\r\n"));
    run(slow.until("\r\n\r\n"));
    settle();
    far.socket->send_binary("", shared_bytes(std::string(20'000'000, 'a')));
    settle();
    time.advance(20s);
    settle();
    time.advance(20s);
    settle();
    EXPECT_TRUE(far.socket->open()) << "its message is still being sent";
    time.advance(20s);
    settle();
    time.advance(20s);
    settle();
    EXPECT_FALSE(far.socket->open()) << "60 s without taking one message";
}

TEST_F(WebSocket, TakesFragmentsWithAPingBetween)
{
    start();
    answers.on["/ws"] = [this](exchange& one) { return upgrade(one, {}, &far); };
    auto peer = connect();
    run(peer.send(handshake + "\r\n"));
    run(peer.until("\r\n\r\n"));
    settle();
    // Masked with zeros: "ab" unfinished, a ping "p", then "c" that finishes the message.
    run(peer.send(std::string("\x01\x82\0\0\0\0ab", 8) + std::string("\x89\x81\0\0\0\0p", 7) + std::string("\x80\x81\0\0\0\0c", 7)));
    EXPECT_EQ(receive(*far.socket)->data, "abc");
    EXPECT_EQ(run(peer.until("p")), std::string("\x8a\x01p", 3));
}

TEST_F(WebSocket, UnmaskedFramesAreClose1002)
{
    start();
    answers.on["/ws"] = [this](exchange& one) { return upgrade(one, {}, &far); };
    auto peer = connect();
    run(peer.send(handshake + "\r\n"));
    run(peer.until("\r\n\r\n"));
    run(peer.send(std::string("\x81\x01p", 3)));
    EXPECT_EQ(run(peer.rest()), "\x88\x34\x03\xea"
                                "the frame breaks the WebSocket protocol (RFC 6455)");
}

struct handshake_case {
    std::string_view name;
    std::string bytes;
    std::string_view says;
};
class WebSocketHandshake : public WebSocket, public ::testing::WithParamInterface<handshake_case> { };
TEST_P(WebSocketHandshake, IsRefused)
{
    start();
    answers.on["/ws"] = [this](exchange& one) { return upgrade(one, {}, &far); };
    const auto got = ask(GetParam().bytes);
    EXPECT_EQ(got.status, 400);
    EXPECT_NE(got.body.find(GetParam().says), std::string::npos) << got.body;
    EXPECT_FALSE(far.socket);
}
std::string with(std::string from, std::string to)
{
    auto out = handshake + "\r\n";
    return out.replace(out.find(from), from.size(), to);
}
INSTANTIATE_TEST_SUITE_P(Cases, WebSocketHandshake,
    ::testing::Values(handshake_case{"plain_get", "GET /ws HTTP/1.1\r\nHost: x\r\n\r\n", "Upgrade"},
        handshake_case{"post", with("GET", "POST"), "GET"}, handshake_case{"http_1_0", with("HTTP/1.1", "HTTP/1.0"), "HTTP/1.1"},
        handshake_case{"no_connection", with("keep-alive, Upgrade", "keep-alive"), "Connection: Upgrade"},
        handshake_case{"version", with("13", "8"), "must be 13"},
        handshake_case{"short_key", with("dGhlIHNhbXBsZSBub25jZQ==", "YWJj"), "16 bytes"},
        handshake_case{"data_too_early", handshake + "\r\nearly", "before its answer"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(WebSocket, AnUnansweredCloseEndsAfterItsTime)
{
    start();
    answers.on["/ws"] = [this](exchange& one) { return upgrade(one, {}, &far); };
    auto peer = connect();
    run(peer.send(handshake + "\r\n"));
    run(peer.until("\r\n\r\n"));
    settle();
    bool done = false;
    asio::co_spawn(context, far.socket->close(close_code::normal, ""), [&](std::exception_ptr) { done = true; });
    settle();
    EXPECT_FALSE(done);
    time.advance(5s);
    settle();
    EXPECT_TRUE(done);
}

TEST_F(WebSocket, StopCutsItAtTheDeadline)
{
    open();
    bool stopped = false;
    asio::co_spawn(context, web->stop(time.steady_now() + 10s), [&](std::exception_ptr) { stopped = true; });
    settle();
    EXPECT_TRUE(far.socket->open());
    time.advance(10s);
    settle();
    EXPECT_TRUE(stopped);
    EXPECT_FALSE(far.socket->open());
}

TEST(WebSocketLifetime, MayEndWhileOpen)
{
    kept_log log;
    test_handler answers;
    asio::io_context outer;
    {
        asio::io_context context;
        caisson::testing::fake_timers time(context.get_executor());
        server web(context.get_executor(), time, log, answers);
        const auto at = web.listen("127.0.0.1", 0).value().at(0);
        answers.on["/echo-ws"] = echo;
        client user(context.get_executor(), time, url{at.address, at.port});
        auto near = caisson::testing::run_task(context, user.connect_websocket("/echo-ws", {}, time.steady_now() + 1h));
        ASSERT_TRUE(near.has_value());
        (*near)->send_text("x");
        context.poll();
    }
    EXPECT_TRUE(log.lines.empty());
}

}    // namespace
}    // namespace caisson::net
