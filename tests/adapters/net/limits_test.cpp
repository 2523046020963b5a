#include "adapters/net/server_state.hpp"
#include "tests/adapters/net/fixture.hpp"

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
        EXPECT_TRUE(one.mark_authenticated("a").has_value());
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

struct OwnerLimits : Limits {
    /// GET /held waits until it is let go, POST /held/… answers.
    void begin(owner_bounds bounds, server_options options = {})
    {
        start(options);
        web->set_owner_bounds(bounds);
        answers.on["/held"] = [this](exchange& one) { return hold(&one); };
    }
    task<> hold(exchange* one)
    {
        const auto trusted = one->mark_authenticated(one->request().fields.find("X-Owner").value_or("someone"));
        if (trusted.has_error()) {
            response refused{429, {}, trusted.error().detail};
            co_return co_await one->respond(std::move(refused));
        }
        const auto seen = let_go.version();
        if (one->request().method == "GET")
            co_await let_go.wait_past(seen);
        auto answer = ok("held");
        co_await one->respond(std::move(answer));
    }
    std::string get(const std::string& owner) const { return "GET /held" + host + "X-Owner: " + owner + "\r\n\r\n"; }
    /// A body of `bytes`, all of which is sent but `missing` bytes; it is large enough for its owner to be asked for.
    std::string post(const std::string& owner, std::size_t bytes, std::size_t missing = 0) const
    {
        return "POST /held" + host + "X-Owner: " + owner + "\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" +
               std::string(bytes - missing, 'x');
    }
    raw_client begun(const std::string& request)
    {
        auto client = connect();
        run(client.send(request));
        settle();
        return client;
    }

    notifier let_go{context.get_executor()};
};

TEST_F(OwnerLimits, OneOwnerHasItsConnections)
{
    begin({.connections = 2});
    auto first = begun(get("a"));
    auto second = begun(get("a"));
    const auto refused = ask(get("a"));
    EXPECT_EQ(refused.status, 429);
    EXPECT_NE(refused.body.find("all the 2 connections that one tenant may use"), std::string::npos) << refused.body;
    const auto large = ask(post("a", 100'000));
    EXPECT_EQ(large.status, 429) << "asked before its body comes";
    EXPECT_NE(large.head.find("Retry-After: "), std::string::npos);
    auto of_another = begun(get("b"));
    let_go.notify_all();
    for (auto* each : {&first, &second, &of_another})
        EXPECT_EQ(run(each->answer()).status, 200);
    auto third = begun(get("a"));    // those that wait for their next request do not count
    let_go.notify_all();
    EXPECT_EQ(run(third.answer()).status, 200);
    run(first.send(get("a")));    // another request of a connection counts once
    settle();
    let_go.notify_all();
    EXPECT_EQ(run(first.answer()).status, 200);
}

TEST_F(OwnerLimits, OneThatGoesGivesItsPlaceBack)
{
    begin({.connections = 1});
    auto first = begun(get("a"));
    EXPECT_EQ(ask(get("a")).status, 429);
    first.reset();
    let_go.notify_all();
    settle();
    auto second = begun(get("a"));
    let_go.notify_all();
    EXPECT_EQ(run(second.answer()).status, 200);
    log.lines.clear();
}

TEST_F(OwnerLimits, BodiesOfOneOwnerAreBoundedTogether)
{
    begin({.bodies_bytes = 250'000}, {.max_bodies_bytes = 8 << 20});
    auto first = begun(post("a", 100'000, 1));
    auto second = begun(post("a", 100'000, 1));
    auto third = begun(post("a", 100'000));    // it stays until its end, as a client that lingers
    const auto refused = run(third.answer());
    EXPECT_EQ(refused.status, 429);
    EXPECT_NE(refused.body.find("more than 250000 bytes together"), std::string::npos) << refused.body;
    EXPECT_NE(refused.head.find("Retry-After: "), std::string::npos);
    EXPECT_EQ(ask(post("b", 100'000)).status, 200);
    run(first.send("x"));
    EXPECT_EQ(run(first.answer()).status, 200);
    EXPECT_EQ(ask(post("a", 100'000)).status, 200) << "given back";
    second.reset();
    settle();
    EXPECT_EQ(ask(post("a", 200'000)).status, 200) << "given back by one that went";
    EXPECT_EQ(ask(post("a", 300'000)).status, 200) << "one that is alone";
}

TEST_F(OwnerLimits, OneWhoseBodyIsLargeHasToSendMoreInTheSameTime)
{
    begin({}, {.body_timeout = std::chrono::milliseconds(1'000), .min_body_bytes = 1'000});
    auto small = begun(post("a", 100'000, 99'000));
    auto large = begun(post("a", 1'000'000, 500'000));
    const auto pass = [this] {
        time.advance(std::chrono::milliseconds(900));
        settle();
    };
    for (int i = 0; i < 4; ++i) {
        run(small.send(std::string(1'000, 'x')));
        run(large.send(std::string(10'000, 'x')));
        settle();
        pass();
    }
    EXPECT_EQ(run(large.answer()).status, 408) << "it has half a million bytes, and sends less than a 16th of that in a second";
    run(small.send(std::string(95'000, 'x')));
    EXPECT_EQ(run(small.answer()).status, 200);
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
