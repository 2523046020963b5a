#include "tests/adapters/net/fixture.hpp"

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

enum class after { kept, closed };

struct wire_case {
    std::string_view name;
    std::string bytes;
    int status;
    std::string_view body;    // a part of the answer's body
    after then;
};

class HttpWire : public server_test, public ::testing::WithParamInterface<wire_case> { };

TEST_P(HttpWire, Answers)
{
    const auto& c = GetParam();
    start();
    auto peer = connect();
    run(peer.send(c.bytes));
    const auto got = run(peer.answer());
    EXPECT_EQ(got.status, c.status) << got.head;
    EXPECT_NE(got.body.find(c.body), std::string::npos) << got.body;
    EXPECT_NE(got.head.find("X-Request-Id: "), std::string::npos) << got.head;
    if (c.then == after::closed) {
        EXPECT_TRUE(run(peer.closed()));
        return;
    }
    run(peer.send("GET /again HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(run(peer.answer()).body, "GET /again ");
}

const std::string host = " HTTP/1.1\r\nHost: x\r\n";

INSTANTIATE_TEST_SUITE_P(Cases, HttpWire,
    ::testing::Values(wire_case{"get", "GET /echo" + host + "\r\n", 200, "GET /echo ", after::kept},
        wire_case{"empty_lines_before", "\r\n\r\nGET /echo" + host + "\r\n", 200, "GET /echo ", after::kept},
        wire_case{"query", "GET /query?a=b%26&c" + host + "\r\n", 200, "a=b&\nc=\n", after::kept},
        wire_case{"absolute_target", "GET http://x/echo?a" + host + "\r\n", 200, "GET /echo ", after::kept},
        wire_case{"body", "POST /echo" + host + "Content-Length: 5\r\n\r\nhello", 200, "POST /echo hello", after::kept},
        wire_case{"chunked", "POST /echo" + host + "Transfer-Encoding: Chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\nA: b\r\n\r\n", 200,
            "POST /echo hello", after::kept},
        wire_case{"close_asked", "GET /echo" + host + "Connection: close\r\n\r\n", 200, "GET", after::closed},
        wire_case{"http_1_0", "GET /echo HTTP/1.0\r\n\r\n", 200, "GET", after::closed},
        wire_case{"http_1_0_kept", "GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, "GET", after::kept},
        wire_case{"unknown_method", "BREW /echo" + host + "\r\n", 200, "BREW", after::kept},
        wire_case{"body_at_the_routes_limit", "POST /small" + host + "Content-Length: 10\r\n\r\n0123456789", 200, "9", after::kept},
        wire_case{"body_beyond_the_routes_limit", "POST /small" + host + "Content-Length: 11\r\n\r\n", 413, "10 bytes", after::closed},
        wire_case{"chunks_beyond_the_routes_limit", "POST /small" + host + "Transfer-Encoding: chunked\r\n\r\nb\r\n", 413, "10 bytes",
            after::closed},
        wire_case{"absurd_length", "POST /echo" + host + "Content-Length: 99999999999999999999\r\n\r\n", 413, R"("error":"too_large")",
            after::closed},
        wire_case{
            "bad_chunk", "POST /echo" + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400, R"("error":"bad_request")", after::closed},
        wire_case{"smuggling", "POST /echo" + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "send one",
            after::closed},
        wire_case{"long_line", "GET /" + std::string(9000, 'a'), 414, "8192 bytes", after::closed},
        wire_case{"long_field", "GET /echo" + host + "A: " + std::string(33000, 'a'), 431, "32768 bytes", after::closed},
        wire_case{"http_2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP/1.1", after::closed},
        wire_case{"tls", std::string("\x16\x03\x01\x02\x00\x01", 6), 400, "TLS", after::closed},
        wire_case{
            "other_coding", "POST /echo" + host + "Transfer-Encoding: gzip\r\n\r\n", 501, R"("error":"not_implemented")", after::closed},
        wire_case{"other_expectation", "POST /echo" + host + "Expect: x\r\nContent-Length: 1\r\n\r\n", 417, "100-continue", after::closed}),
    [](const auto& info) { return std::string(info.param.name); });

using Server = server_test;

TEST_F(Server, AnswersPipelinedRequestsInOrder)
{
    start();
    auto peer = connect();
    std::string bytes;
    for (int i = 0; i < 50; ++i)
        bytes += "POST /" + std::to_string(i) + host + "Content-Length: 3\r\n\r\nabc";
    run(peer.send(bytes));
    for (int i = 0; i < 50; ++i)
        ASSERT_EQ(run(peer.answer()).body, "POST /" + std::to_string(i) + " abc");
}

/// Bytes that tell where they are from.
std::string numbered_text(std::size_t number, std::size_t bytes)
{
    std::string out;
    while (out.size() < bytes)
        out += std::to_string(number) + ":" + std::to_string(out.size()) + " ";
    return out;
}

TEST_F(Server, AnswersThatTheSocketTakesInPartsComeWhole)
{
    constexpr std::size_t count = 250;
    constexpr std::size_t bytes = 60'000;    // all together are more than the sockets hold
    start();
    std::size_t made = 0;
    answers.on["/next"] = [&made](exchange& one) { return one.respond(ok(numbered_text(made++, bytes))); };
    auto peer = connect();
    for (std::size_t i = 0; i < count; ++i) {
        run(peer.send("GET /next" + host + "\r\n"));
        settle();
    }
    EXPECT_LT(made, count) << "the sockets hold all of it";
    for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(run(peer.answer()).body, numbered_text(i, bytes)) << i;
}

TEST_F(Server, SendsABodyThatIsKeptElsewhereAsItsOwn)
{
    start();
    const shared_bytes text(std::string("kept"));
    answers.on["/kept"] = [text](exchange& one) {
        response answer = ok("not this");
        answer.kept_body = text;
        return one.respond(std::move(answer));
    };
    auto peer = connect();
    run(peer.send("GET /kept" + host + "\r\n"));
    EXPECT_EQ(run(peer.answer()).body, "kept");
    run(peer.send("HEAD /kept" + host + "\r\n"));
    EXPECT_NE(run(peer.answer(true)).head.find("Content-Length: 4\r\n"), std::string::npos);
}

TEST_F(Server, TakesARequestByteByByte)
{
    start();
    auto peer = connect();
    for (const char c : "POST /echo" + host + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n") {
        run(peer.send(std::string(1, c)));
        settle();
    }
    EXPECT_EQ(run(peer.answer()).body, "POST /echo hi");
}

TEST_F(Server, AnswersHeadWithoutTheBody)
{
    start();
    auto peer = connect();
    run(peer.send("HEAD /echo" + host + "\r\nGET /next" + host + "\r\n"));
    const auto got = run(peer.answer(true));
    EXPECT_NE(got.head.find("Content-Length: 11\r\n"), std::string::npos) << got.head;
    EXPECT_EQ(run(peer.answer()).body, "GET /next ");
}

TEST_F(Server, EchoesASaneRequestIdAndMakesOneElse)
{
    start();
    auto id_of = [](const raw_answer& of) {
        const auto from = of.head.find("X-Request-Id: ") + 14;
        return of.head.substr(from, of.head.find("\r\n", from) - from);
    };
    EXPECT_EQ(id_of(ask("GET /echo" + host + "X-Request-Id: mine-1\r\n\r\n")), "mine-1");
    EXPECT_TRUE(id_of(ask("GET /echo" + host + "X-Request-Id: two words\r\n\r\n")).starts_with("req_"));
    EXPECT_TRUE(id_of(ask("GET /echo" + host + "X-Request-Id: " + std::string(129, 'a') + "\r\n\r\n")).starts_with("req_"));
    const auto refused = ask("POST /small" + host + "X-Request-Id: mine-2\r\nContent-Length: 11\r\n\r\n");
    EXPECT_NE(refused.body.find(R"("request_id":"mine-2")"), std::string::npos) << refused.body;
}

TEST_F(Server, SaysContinueOnlyWhenItTakesTheBody)
{
    start();
    auto peer = connect();
    run(peer.send("POST /echo" + host + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
    EXPECT_EQ(run(peer.until("\r\n\r\n")), "HTTP/1.1 100 Continue\r\n\r\n");
    run(peer.send("hi"));
    EXPECT_EQ(run(peer.answer()).body, "POST /echo hi");

    run(peer.send("POST /echo" + host + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi"));
    EXPECT_EQ(run(peer.answer()).status, 200) << "the body was there already";

    run(peer.send("POST /small" + host + "Expect: 100-continue\r\nContent-Length: 11\r\n\r\n"));
    EXPECT_EQ(run(peer.answer()).status, 413);
}

TEST_F(Server, LetsARefusedClientReadTheAnswerWhileItSends)
{
    start();
    auto peer = connect();
    run(peer.send("POST /small" + host + "Content-Length: 4000000\r\n\r\n"));
    run(peer.send(std::string(4'000'000, 'a')));
    EXPECT_EQ(run(peer.answer()).status, 413);
}

TEST_F(Server, TakesLargeBodies)
{
    start();
    const std::string body(20'000'000, 'b');
    auto peer = connect();
    asio::co_spawn(context, peer.send("POST /echo" + host + "Content-Length: 20000000\r\n\r\n" + body), [](std::exception_ptr) { });
    EXPECT_EQ(run(peer.answer()).body, "POST /echo " + body);
}

TEST_F(Server, ClosesAfterItsNumberOfRequests)
{
    start({.max_requests_per_connection = 2});
    auto peer = connect();
    run(peer.send("GET /1" + host + "\r\nGET /2" + host + "\r\nGET /3" + host + "\r\n"));
    EXPECT_EQ(run(peer.answer()).head.find("Connection: close"), std::string::npos);
    EXPECT_NE(run(peer.answer()).head.find("Connection: close"), std::string::npos);
    EXPECT_TRUE(run(peer.closed()));
    EXPECT_EQ(answers.handled, 2u);
}

TEST_F(Server, ListensOnSeveralAddressesAndSaysWhatIsInUse)
{
    start();
    const auto again = web->listen("127.0.0.1", at.port);
    ASSERT_TRUE(again.has_error());
    EXPECT_EQ(again.error().code, errc::conflict);
    EXPECT_NE(again.error().detail.find("in use"), std::string::npos);
    EXPECT_EQ(web->listen("192.0.2.1", 0).error().code, errc::bad_request);
    const auto second = web->listen("localhost", 0);
    ASSERT_TRUE(second.has_value());
    for (const auto& each : *second) {
        raw_client peer(context.get_executor(), each);
        run(peer.send("GET /echo" + host + "\r\n"));
        EXPECT_EQ(run(peer.answer()).status, 200) << each.url();
    }
}

TEST_F(Server, ListensOnIpv6)
{
    start();
    const auto opened = web->listen("::1", 0);
    if (opened.has_error())
        GTEST_SKIP() << "no IPv6 loopback on this host: " << opened.error().detail;
    EXPECT_EQ(opened->at(0).url(), "http://[::1]:" + std::to_string(opened->at(0).port));
    raw_client peer(context.get_executor(), opened->at(0));
    run(peer.send("GET /echo" + host + "\r\n"));
    EXPECT_EQ(run(peer.answer()).status, 200);
}

}    // namespace
}    // namespace caisson::net
