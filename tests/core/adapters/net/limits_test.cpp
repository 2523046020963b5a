#include "core/adapters/net/server_state.hpp"
#include "tests/core/adapters/net/fixture.hpp"

namespace caisson::net {
namespace {

using namespace std::chrono_literals;
using Limits = server_test;

task<> answer_late(exchange& one, timers& time)
{
    co_await time.wait_for(1h);
    auto answer = ok("late");
    co_await one.respond(std::move(answer));
}

task<> answer_much(exchange& one, bool* ended)
{
    auto answer = ok(std::string(50'000'000, 'a'));
    co_await one.respond(std::move(answer));
    if (ended != nullptr)
        *ended = true;
}

const std::string host = " HTTP/1.1\r\nHost: x\r\n";

TEST_F(Limits, ASlowHeadIs408)
{
    start();
    auto peer = connect();
    run(peer.send("GET /echo HT"));
    settle();
    time.advance(9s);
    settle();
    EXPECT_EQ(web->connections(), 1u);
    run(peer.send("TP/1.1\r\n"));
    settle();
    time.advance(2s);
    const auto got = run(peer.answer());
    EXPECT_EQ(got.status, 408);
    EXPECT_NE(got.body.find("10000 ms"), std::string::npos) << got.body;
    EXPECT_NE(got.body.find(R"("error":"timed_out")"), std::string::npos) << got.body;
    EXPECT_TRUE(run(peer.closed()));
}

TEST_F(Limits, AnIdleConnectionIsClosedSilently)
{
    start();
    auto peer = connect();
    run(peer.send("GET /echo" + host + "\r\n"));
    EXPECT_EQ(run(peer.answer()).status, 200);
    settle();
    time.advance(74s);
    settle();
    EXPECT_EQ(web->connections(), 1u);
    time.advance(2s);
    EXPECT_EQ(run(peer.rest()), "");
    settle();
    EXPECT_EQ(web->connections(), 0u);
}

TEST_F(Limits, ASlowBodyIs408AndAProgressingOneIsNot)
{
    start({.body_timeout = 10s, .min_body_bytes = 4});
    auto peer = connect();
    run(peer.send("POST /echo" + host + "Content-Length: 20\r\n\r\n"));
    for (int i = 0; i < 4; ++i) {
        settle();
        time.advance(9s);
        settle();
        run(peer.send("abcd"));
    }
    settle();
    time.advance(6s);
    settle();
    run(peer.send("x"));
    settle();
    time.advance(5s);
    const auto got = run(peer.answer());
    EXPECT_EQ(got.status, 408);
    EXPECT_NE(got.body.find("4 bytes in 10000 ms"), std::string::npos) << got.body;
}

TEST_F(Limits, AHandlerMayTakeItsTime)
{
    start();
    answers.on["/slow"] = [this](exchange& one) { return answer_late(one, time); };
    auto peer = connect();
    run(peer.send("GET /slow" + host + "\r\n"));
    settle();
    time.advance(2h);
    EXPECT_EQ(run(peer.answer()).body, "late");
}

TEST_F(Limits, AClientThatTakesNothingIsCut)
{
    start();
    bool ended = false;
    answers.on["/much"] = [&ended](exchange& one) { return answer_much(one, &ended); };
    auto peer = connect();
    run(peer.send("GET /much" + host + "\r\n"));
    settle();
    EXPECT_FALSE(ended);
    time.advance(29s);
    settle();
    EXPECT_EQ(web->connections(), 1u);
    time.advance(2s);
    settle();
    EXPECT_TRUE(ended);
    EXPECT_EQ(web->connections(), 0u);
}

TEST_F(Limits, AClientThatDoesNotCloseIsClosed)
{
    start();
    auto peer = connect();
    run(peer.send("GET /echo" + host + "Connection: close\r\n\r\n"));
    EXPECT_EQ(run(peer.answer()).status, 200);
    settle();
    EXPECT_EQ(web->connections(), 1u);
    time.advance(3s);
    settle();
    EXPECT_EQ(web->connections(), 0u);
}

TEST_F(Limits, ConnectionsBeyondTheLimitGet503WhenAllAreServed)
{
    start({.max_connections = 2});
    answers.on["/slow"] = [this](exchange& one) { return answer_late(one, time); };
    auto first = connect();
    auto second = connect();
    run(first.send("GET /slow" + host + "\r\n"));
    run(second.send("GET /slow" + host + "\r\n"));
    settle();
    auto third = connect();
    const auto refused = run(third.answer());
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.head.find("Retry-After: 2\r\n"), std::string::npos) << refused.head;
    EXPECT_NE(refused.body.find("2 connections"), std::string::npos) << refused.body;
    EXPECT_TRUE(run(third.closed()));
    time.advance(1h);
    EXPECT_EQ(run(first.answer()).status, 200);
    EXPECT_EQ(run(second.answer()).status, 200);
    log.lines.clear();    // it warned of its fullness
}

TEST_F(Limits, WhoSentNothingYetGivesWayFirstAndTheOldestOfThem)
{
    start({.max_connections = 3});
    auto served = connect();
    run(served.send("GET /echo" + host + "\r\n"));
    EXPECT_EQ(run(served.answer()).status, 200);
    auto old_one = connect();
    run(old_one.send("GET /ec"));
    settle();
    auto young = connect();
    settle();
    EXPECT_EQ(ask("GET /echo" + host + "\r\n").status, 200);
    EXPECT_TRUE(run(old_one.closed()));
    settle();
    run(served.send("GET /echo" + host + "\r\n"));
    EXPECT_EQ(run(served.answer()).status, 200) << "it waits between requests, and newcomers go first";
    run(young.send("GET /echo" + host + "\r\n"));
    EXPECT_EQ(run(young.answer()).status, 200);
    log.lines.clear();
}

TEST_F(Limits, WhoWaitsBetweenRequestsGivesWayNextAndThenWhoHasShownNoKey)
{
    start({.max_connections = 2});
    answers.on["/much"] = [](exchange& one) { return answer_much(one, nullptr); };
    auto stranger = connect();
    run(stranger.send("GET /much" + host + "\r\n"));
    auto served = connect();
    run(served.send("GET /echo" + host + "\r\n"));
    EXPECT_EQ(run(served.answer()).status, 200);
    settle();
    auto third = connect();
    settle();
    EXPECT_TRUE(run(served.closed())) << "idle";
    run(third.send("GET /much" + host + "\r\n"));
    settle();
    EXPECT_EQ(ask("GET /echo" + host + "\r\n").status, 200);
    settle();
    EXPECT_EQ(web->connections(), 1u) << "the first stranger, who took nothing, is gone";
    log.lines.clear();
}

TEST_F(Limits, WhoHasShownAKeyStays)
{
    start({.max_connections = 1});
    bool ended = false;
    answers.on["/much"] = [&ended](exchange& one) {
        one.trust();
        return answer_much(one, &ended);
    };
    auto trusted = connect();
    run(trusted.send("GET /much" + host + "\r\n"));
    settle();
    EXPECT_EQ(ask("GET /echo" + host + "\r\n").status, 503);
    EXPECT_FALSE(ended);
    trusted.socket().close();
    settle();
    EXPECT_TRUE(ended);
    log.lines.clear();
}

TEST_F(Limits, OneAddressHasItsShare)
{
    start({.max_connections = 10, .max_connections_per_address = 2});
    auto first = connect();
    auto second = connect();
    settle();
    const auto refused = ask("GET /echo" + host + "\r\n");
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.body.find("your address has its 2 connections"), std::string::npos) << refused.body;
    first.socket().close();
    settle();
    EXPECT_EQ(ask("GET /echo" + host + "\r\n").status, 200);
}

TEST(Addresses, AreCountedByTheirNetwork)
{
    const auto network = [](const char* text) { return network_of(asio::ip::make_address(text)); };
    EXPECT_EQ(network("192.0.2.1"), "192.0.2.1");
    EXPECT_EQ(network("::ffff:192.0.2.1"), network("192.0.2.1"));
    EXPECT_NE(network("192.0.2.2"), network("192.0.2.1"));
    EXPECT_EQ(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::9"));
    EXPECT_NE(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
}

TEST_F(Limits, AStreamsShareShrinksWithTheConnections)
{
    start({.max_streams_bytes = 8 << 20});
    std::size_t share = 0;
    answers.on["/share"] = [&share](exchange& one) -> task<> {
        share = one.share_bytes();
        auto answer = ok("");
        return one.respond(std::move(answer));
    };
    EXPECT_EQ(ask("GET /share" + host + "\r\n").status, 200);
    EXPECT_EQ(share, 4u << 20) << "at most";
    std::vector<raw_client> others;
    for (int i = 0; i < 7; ++i)
        others.push_back(connect());
    settle();
    EXPECT_EQ(ask("GET /share" + host + "\r\n").status, 200);
    EXPECT_EQ(share, 1u << 20);
}

TEST_F(Limits, BodiesOfAllConnectionsAreBoundedTogether)
{
    start({.max_bodies_bytes = 1500});
    auto first = connect();
    run(first.send("POST /echo" + host + "Content-Length: 1001\r\n\r\n" + std::string(1000, 'a')));
    settle();
    const auto refused = ask("POST /echo" + host + "Content-Length: 1000\r\n\r\n" + std::string(1000, 'a'));
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.head.find("Retry-After: "), std::string::npos);
    run(first.send("a"));
    EXPECT_EQ(run(first.answer()).status, 200);
    EXPECT_EQ(ask("POST /echo" + host + "Content-Length: 1000\r\n\r\n" + std::string(1000, 'a')).status, 200) << "given back";
}

TEST_F(Limits, TooManyFieldsAre431)
{
    start();
    std::string fields;
    for (int i = 0; i < 100; ++i)
        fields += "A" + std::to_string(i) + ": b\r\n";
    const auto got = ask("GET /echo" + host + fields + "\r\n");
    EXPECT_EQ(got.status, 431);
    EXPECT_NE(got.body.find("100 header fields"), std::string::npos) << got.body;
}

}    // namespace
}    // namespace caisson::net
