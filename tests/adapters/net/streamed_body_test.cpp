#include "tests/adapters/net/fixture.hpp"

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

/// What a handler got of a body.
struct taken {
    std::string bytes;
    std::size_t pieces = 0;
    std::size_t largest = 0;
    std::size_t empty_after_end = 0;
    std::optional<error> failed;
    bool ended = false;
};

/// Reads it to the end and answers with it.
task<> take_all(exchange& one, taken* out)
{
    while (true) {
        auto piece = co_await one.body().read();
        if (piece.has_error()) {
            out->failed = piece.error();
            co_return;
        }
        if (piece->empty())
            break;
        out->bytes += piece->view();
        ++out->pieces;
        out->largest = std::max(out->largest, piece->size());
    }
    auto again = co_await one.body().read();
    out->empty_after_end += again.has_value() && again->empty() ? 1 : 0;
    out->ended = true;
    auto answer = ok(out->bytes.size() > 100 ? std::to_string(out->bytes.size()) : out->bytes);
    co_await one.respond(std::move(answer));
}

/// Reads `pieces` pieces, then answers.
task<> take_some(exchange& one, std::size_t pieces, taken* out)
{
    for (std::size_t i = 0; i < pieces; ++i) {
        auto piece = co_await one.body().read();
        out->bytes += piece->view();
    }
    auto answer = ok("enough");
    co_await one.respond(std::move(answer));
}

/// Reads a piece each time it is let.
task<> take_slowly(exchange& one, notifier* go, taken* out)
{
    while (!out->ended) {
        const auto seen = go->version();
        co_await go->wait_past(seen);
        auto piece = co_await one.body().read();
        out->ended = piece.has_error() || piece->empty();
        out->bytes += piece.has_value() ? piece->view() : "";
    }
    auto answer = ok(std::to_string(out->bytes.size()));
    co_await one.respond(std::move(answer));
}

task<> tell(exchange& one, taken* out)
{
    auto piece = co_await one.body().read();
    while (piece.has_value() && !piece->empty())
        piece = co_await one.body().read();
    out->failed = piece.has_error() ? std::optional(piece.error()) : std::nullopt;
    response answer{422, {}, "own words"};
    co_await one.respond(std::move(answer));
}

const std::string post = "POST /stream HTTP/1.1\r\nHost: x\r\n";
const std::string next = "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n";

class StreamedBody : public server_test {
protected:
    void begin(server_options options = {})
    {
        start(options);
        answers.on["/stream"] = [this](exchange& one) { return take_all(one, &got); };
        answers.on["/stream/some"] = [this](exchange& one) { return take_some(one, pieces, &got); };
        answers.on["/stream/tell"] = [this](exchange& one) { return tell(one, &got); };
    }
    taken got;    // outlives the handlers
    std::size_t pieces = 0;
};

struct body_case {
    std::string_view name;
    std::string fields;    // with the body
    std::string want;
};
class StreamedBodyForm : public StreamedBody, public ::testing::WithParamInterface<body_case> { };
TEST_P(StreamedBodyForm, ComesAsItWasSentAndTheConnectionStays)
{
    const auto& c = GetParam();
    begin();
    auto peer = connect();
    run(peer.send(post + c.fields + next));
    const auto first = run(peer.answer());
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(first.body, c.want);
    EXPECT_EQ(first.head.find("Connection: close"), std::string::npos) << first.head;
    EXPECT_EQ(got.empty_after_end, 1u);
    EXPECT_EQ(run(peer.answer()).body, "GET /echo ");
}
INSTANTIATE_TEST_SUITE_P(Cases, StreamedBodyForm,
    ::testing::Values(body_case{"length", "Content-Length: 5\r\n\r\nhello", "hello"},
        body_case{"chunked", "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nA: b\r\n\r\n", "hello"},
        body_case{"empty", "Content-Length: 0\r\n\r\n", ""}, body_case{"empty_chunked", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""},
        body_case{"none", "\r\n", ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(StreamedBody, OthersAreBufferedAndHaveNoneToRead)
{
    begin();
    answers.on["/echo"] = [this](exchange& one) { return take_all(one, &got); };
    EXPECT_EQ(ask("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello").status, 200);
    EXPECT_EQ(got.bytes, "");
    EXPECT_TRUE(got.ended);
}

TEST_F(StreamedBody, LargeOnesComeInSmallPiecesBeyondWhatIsBuffered)
{
    begin({.max_body_bytes = 1000, .max_bodies_bytes = 1000});
    auto peer = connect();
    const std::string body(5'000'000, 'a');
    run(peer.send(post + "Content-Length: 5000000\r\n\r\n" + body));
    EXPECT_EQ(run(peer.answer()).body, "5000000");
    EXPECT_EQ(got.bytes, body);
    EXPECT_LE(got.largest, 64u << 10);
    EXPECT_GE(got.pieces, 70u);
}

TEST_F(StreamedBody, ASlowReaderSlowsItsClient)
{
    begin();
    notifier go(context.get_executor());
    answers.on["/stream/slow"] = [&](exchange& one) { return take_slowly(one, &go, &got); };
    auto peer = connect();
    const std::string body(40'000'000, 'a');
    bool sent = false;
    auto sending = peer.send("POST /stream/slow HTTP/1.1\r\nHost: x\r\nContent-Length: 40000000\r\n\r\n" + body);
    asio::co_spawn(context, std::move(sending), [&](std::exception_ptr) { sent = true; });
    settle();
    time.advance(10min);    // the handler's own time is not the client's
    settle();
    EXPECT_FALSE(sent) << "what is not read stays in the sockets";
    EXPECT_EQ(web->connections(), 1u);
    while (!got.ended) {
        go.notify_all();
        settle();
    }
    EXPECT_TRUE(sent);
    EXPECT_EQ(got.bytes.size(), body.size());
    EXPECT_EQ(run(peer.answer()).body, "40000000");
}

TEST_F(StreamedBody, IsAskedForWhenItIsReadFirst)
{
    begin();
    const std::string expects = "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n";
    auto peer = connect();
    run(peer.send(post + expects));
    EXPECT_EQ(run(peer.until("\r\n\r\n")), "HTTP/1.1 100 Continue\r\n\r\n");
    run(peer.send("hello"));
    EXPECT_EQ(run(peer.answer()).body, "hello");

    auto unread = connect();
    run(unread.send("POST /stream/some HTTP/1.1\r\nHost: x\r\n" + expects));
    const auto answer = run(unread.answer());
    EXPECT_EQ(answer.status, 200) << "no 100 before it";
    EXPECT_NE(answer.head.find("Connection: close"), std::string::npos) << answer.head;
    EXPECT_TRUE(run(unread.closed()));
}

TEST_F(StreamedBody, AnEarlyAnswerEndsTheConnectionCleanly)
{
    begin();
    pieces = 1;
    auto peer = connect();
    run(peer.send("POST /stream/some HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n" + std::string(3'000'000, 'a')));
    const auto answer = run(peer.answer());
    EXPECT_EQ(answer.body, "enough");
    EXPECT_NE(answer.head.find("Connection: close"), std::string::npos) << answer.head;
    EXPECT_TRUE(run(peer.closed()));
    EXPECT_LE(got.bytes.size(), 64u << 10);
}

TEST_F(StreamedBody, AnEarlyAnswerToASilentClientEndsInBoundedTime)
{
    begin();
    auto peer = connect();
    run(peer.send("POST /stream/some HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n"));
    EXPECT_EQ(run(peer.answer()).body, "enough");
    settle();
    EXPECT_EQ(web->connections(), 1u);
    time.advance(4s);
    settle();
    EXPECT_EQ(web->connections(), 0u);
}

TEST_F(StreamedBody, WhatHasAllComeUnreadLetsTheConnectionLive)
{
    begin();
    auto peer = connect();
    run(peer.send("POST /stream/some HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" + next));
    EXPECT_EQ(run(peer.answer()).body, "enough");
    EXPECT_EQ(run(peer.answer()).body, "GET /echo ");
}

struct refused_case {
    std::string_view name;
    std::string fields;
    int status;
    errc code;
    std::string_view says;
};
class StreamedBodyRefused : public StreamedBody, public ::testing::WithParamInterface<refused_case> { };
TEST_P(StreamedBodyRefused, IsAnsweredForTheHandler)
{
    const auto& c = GetParam();
    begin();
    answers.stream_limit = 10;
    const auto answer = ask(post + c.fields);
    EXPECT_EQ(answer.status, c.status);
    EXPECT_NE(answer.body.find(c.says), std::string::npos) << answer.body;
    EXPECT_NE(answer.head.find("Connection: close"), std::string::npos) << answer.head;
    EXPECT_FALSE(got.ended);
}
TEST_P(StreamedBodyRefused, OrTheHandlerAnswersItself)
{
    const auto& c = GetParam();
    begin();
    answers.stream_limit = 10;
    const auto answer = ask("POST /stream/tell HTTP/1.1\r\nHost: x\r\n" + c.fields);
    const bool asked = !c.fields.starts_with("Content-Length");
    EXPECT_EQ(answer.status, asked ? 422 : c.status);
    ASSERT_EQ(got.failed.has_value(), asked);
    if (asked)
        EXPECT_EQ(got.failed->code, c.code);
}
INSTANTIATE_TEST_SUITE_P(Cases, StreamedBodyRefused,
    ::testing::Values(refused_case{"announced_too_large", "Content-Length: 11\r\n\r\n", 413, errc::too_large, "10 bytes"},
        refused_case{"chunks_too_large", "Transfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n8\r\n", 413, errc::too_large, "10 bytes"},
        refused_case{"bad_chunk", "Transfer-Encoding: chunked\r\n\r\n8\r\n12345678x", 400, errc::bad_request, "chunk"},
        refused_case{"no_number", "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, errc::bad_request, "hexadecimal"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(StreamedBody, StrangersAreRefusedBeforeTheHandlerIsAsked)
{
    begin();
    answers.barred_path = "/stream";
    EXPECT_EQ(ask(post + "Transfer-Encoding: chunked\r\n\r\n").status, 401);
    EXPECT_EQ(ask(post + "Content-Length: 70000\r\n\r\n").status, 401);
    EXPECT_EQ(answers.handled, 0u);
}

TEST_F(StreamedBody, ASlowOneIs408AndAProgressingOneIsNot)
{
    begin({.body_timeout = 10s, .min_body_bytes = 4});
    auto peer = connect();
    run(peer.send(post + "Content-Length: 20\r\n\r\n"));
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
    const auto answer = run(peer.answer());
    EXPECT_EQ(answer.status, 408);
    EXPECT_NE(answer.body.find("4 bytes in 10000 ms"), std::string::npos) << answer.body;
    ASSERT_TRUE(got.failed);
    EXPECT_EQ(got.failed->code, errc::timed_out);
}

TEST_F(StreamedBody, AClientThatGoesEndsTheHandler)
{
    begin();
    for (const bool reset : {false, true}) {
        got = {};
        auto peer = connect();
        run(peer.send(post + "Content-Length: 20\r\n\r\nhalf"));
        settle();
        EXPECT_EQ(got.bytes, "half");
        if (reset)
            peer.reset();
        else
            peer.shut();
        settle();
        ASSERT_TRUE(got.failed) << reset;
        EXPECT_EQ(got.failed->code, errc::bad_request);
        peer.socket().close();
        settle();
        EXPECT_EQ(web->connections(), 0u);
    }
}

// Answers of a known length.

task<> send_sized(exchange& one, std::string length, std::vector<std::string> pieces, bool* threw)
{
    response head{206, {{"Content-Length", length}}, ""};
    auto out = co_await one.begin_stream(std::move(head));
    try {
        for (const auto& piece : pieces)
            co_await out->write(piece);
        co_await out->finish();
    } catch (const std::logic_error&) {
        *threw = true;
    }
}

struct sized_case {
    std::string_view name;
    std::string method;
    std::string version;
    std::vector<std::string> pieces;    // of an announced 6
    std::string want;                   // behind the head
    bool stays;
    bool throws;
};
class SizedAnswer : public server_test, public ::testing::WithParamInterface<sized_case> { };
TEST_P(SizedAnswer, HasItsContentLengthAndNoChunks)
{
    const auto& c = GetParam();
    start();
    bool threw = false;
    answers.on["/sized"] = [&](exchange& one) { return send_sized(one, "6", c.pieces, &threw); };
    auto peer = connect();
    run(peer.send(c.method + " /sized HTTP/" + c.version + "\r\nHost: x\r\nConnection: keep-alive\r\n\r\n" + next));
    const auto head = run(peer.until("\r\n\r\n"));
    EXPECT_NE(head.find("Content-Length: 6\r\n"), std::string::npos) << head;
    EXPECT_EQ(head.find("chunked"), std::string::npos) << head;
    if (c.stays)
        EXPECT_TRUE(run(peer.until("GET /echo ")).starts_with(c.want + "HTTP/1."));
    else
        EXPECT_EQ(run(peer.rest()), c.want);
    EXPECT_EQ(threw, c.throws);
}
INSTANTIATE_TEST_SUITE_P(Cases, SizedAnswer,
    ::testing::Values(sized_case{"whole", "GET", "1.1", {"abc", "def"}, "abcdef", true, false},
        sized_case{"http10", "GET", "1.0", {"abc", "def"}, "abcdef", true, false},
        sized_case{"to_head", "HEAD", "1.1", {"abc", "def"}, "", true, false},
        sized_case{"short_is_cut", "GET", "1.1", {"abc"}, "abc", false, false},
        sized_case{"long_is_a_mistake", "GET", "1.1", {"abc", "defg"}, "abc", false, true}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::net
