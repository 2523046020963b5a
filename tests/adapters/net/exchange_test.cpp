#include "core/async/deadline.hpp"
#include "tests/adapters/net/fixture.hpp"

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

const std::string host = " HTTP/1.1\r\nHost: x\r\n";

/// What a handler saw, for the test to look at.
struct seen {
    bool begun = false;
    bool gone = false;
    bool drained = false;
    bool wrote = true;
    std::size_t bytes = 0;
};

/// Waits for the client to go or for `until`; answers in the second case.
task<> wait_for_client(exchange& one, timers& time, seen* out)
{
    out->begun = true;
    auto first = co_await race(one.client_gone(), time.wait_for(1h));
    out->gone = first.index() == 0;
    auto answer = ok(out->gone ? "gone" : "here");
    co_await one.respond(std::move(answer));
}

task<> wait_until_left(exchange& one) { static_cast<void>(co_await one.client_gone()); }

task<> wait_for_drain(exchange& one, timers& time, seen* out)
{
    out->begun = true;
    auto first = co_await race(one.drain_begun(), time.wait_for(1h));
    out->drained = first.index() == 0 && one.draining();
    response answer{202, {{"Location", "/v1/executions/a"}}, ""};
    co_await one.respond(std::move(answer));
}

task<> stream_three(exchange& one)
{
    response head{200, {{"Content-Type", "text/event-stream"}}, ""};
    auto out = co_await one.begin_stream(std::move(head));
    for (const std::string_view piece : {"one", "", "two"})
        co_await out->write(piece);
    co_await out->finish();
}

task<> stream_without_end(exchange& one, seen* out)
{
    response head;
    auto to = co_await one.begin_stream(std::move(head));
    const std::string piece(100'000, 'a');
    while (out->wrote) {
        out->wrote = co_await to->write(piece);
        out->bytes += piece.size();
    }
}

task<> cut_stream(exchange& one)
{
    response head;
    auto to = co_await one.begin_stream(std::move(head));
    co_await to->write("half");
}

task<> fail(exchange&)
{
    throw std::runtime_error("a bug");
    co_return;
}
task<> fail_after_answer(exchange& one)
{
    auto answer = ok("done");
    co_await one.respond(std::move(answer));
    throw std::runtime_error("a bug");
}
task<> forget(exchange&) { co_return; }

class Exchange : public server_test {
protected:
    seen out;    // outlives the handlers
};

TEST_F(Exchange, SeesThatTheClientClosed)
{
    start();
    answers.on["/wait"] = [&](exchange& one) { return wait_for_client(one, time, &out); };
    for (const bool reset : {false, true}) {
        out = {};
        auto peer = connect();
        run(peer.send("GET /wait" + host + "\r\n"));
        settle();
        EXPECT_TRUE(out.begun);
        EXPECT_FALSE(out.gone);
        if (reset)
            peer.reset();
        else
            peer.socket().close();
        settle();
        EXPECT_TRUE(out.gone) << reset;
        EXPECT_EQ(web->connections(), 0u);
    }
}

TEST_F(Exchange, AnswersAClientThatOnlyShutItsSide)
{
    start();
    answers.on["/wait"] = [&](exchange& one) { return wait_for_client(one, time, &out); };
    auto peer = connect();
    run(peer.send("GET /wait" + host + "\r\n"));
    peer.shut();
    EXPECT_EQ(run(peer.answer()).body, "gone");
}

TEST_F(Exchange, AClientThatLeftNeedsNoAnswer)
{
    start();
    answers.on["/leave"] = [](exchange& one) { return wait_until_left(one); };
    for (const bool reset : {false, true}) {
        auto peer = connect();
        run(peer.send("GET /leave" + host + "\r\n"));
        settle();
        if (reset)
            peer.reset();
        else
            peer.socket().close();
        settle();
        EXPECT_EQ(web->connections(), 0u);
        EXPECT_TRUE(log.lines.empty()) << reset;
    }
}

TEST_F(Exchange, AnyAnswerIsCompleted)
{
    start();
    answers.on["/stream"] = stream_three;
    const auto completed = [&](std::string bytes) {
        const auto head = ask(std::move(bytes)).head;
        return head.find("X-Completed: ") != std::string::npos;
    };
    EXPECT_TRUE(completed("GET /echo HTTP/1.1\r\nHost: x\r\nX-Completed: 1\r\n\r\n"));
    EXPECT_TRUE(completed("POST /small HTTP/1.1\r\nHost: x\r\nX-Completed: 1\r\nContent-Length: 11\r\n\r\n")) << "413";
    EXPECT_FALSE(completed("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n"));
    auto peer = connect();
    run(peer.send("GET /stream HTTP/1.1\r\nHost: x\r\nX-Completed: 1\r\n\r\n"));
    EXPECT_NE(run(peer.until("\r\n\r\n")).find("X-Completed: /stream\r\n"), std::string::npos);
}

TEST_F(Exchange, PipelinedBytesAreNotAGoneClient)
{
    start();
    answers.on["/wait"] = [&](exchange& one) { return wait_for_client(one, time, &out); };
    auto peer = connect();
    run(peer.send("GET /wait" + host + "\r\n"));
    settle();
    run(peer.send("GET /echo" + host + "\r\n"));
    settle();
    EXPECT_FALSE(out.gone);
    time.advance(2h);
    EXPECT_EQ(run(peer.answer()).body, "here");
    EXPECT_EQ(run(peer.answer()).body, "GET /echo ");
}

TEST_F(Exchange, SeesAResetBehindMorePipelinedBytesThanItHolds)
{
    start();
    answers.on["/wait"] = [&](exchange& one) { return wait_for_client(one, time, &out); };
    auto peer = connect();
    run(peer.send("GET /wait" + host + "\r\n" + std::string(100'000, '\n')));
    settle();
    EXPECT_FALSE(out.gone);
    peer.reset();
    settle();
    EXPECT_TRUE(out.gone);
}

TEST_F(Exchange, TheWaitForAClientBehindManyPipelinedBytesLosesNothing)
{
    start();
    answers.on["/wait"] = [&](exchange& one) { return wait_for_client(one, time, &out); };
    auto peer = connect();
    constexpr int more = 30;
    std::string all = "GET /wait" + host + "\r\n";
    for (int i = 0; i < more; ++i)    // 120 KB
        all += "GET /echo" + host + "X-Padding: " + std::string(4'000, 'x') + "\r\n\r\n";
    run(peer.send(all));
    settle();
    time.advance(2h);
    EXPECT_EQ(run(peer.answer()).body, "here");
    for (int i = 0; i < more; ++i)
        ASSERT_EQ(run(peer.answer()).body, "GET /echo ") << i;
}

TEST_F(Exchange, StreamsInChunks)
{
    start();
    answers.on["/stream"] = stream_three;
    auto peer = connect();
    run(peer.send("GET /stream" + host + "\r\nGET /echo" + host + "\r\n"));
    const auto head = run(peer.until("\r\n\r\n"));
    EXPECT_NE(head.find("Transfer-Encoding: chunked\r\n"), std::string::npos) << head;
    EXPECT_EQ(head.find("Content-Length"), std::string::npos) << head;
    EXPECT_EQ(run(peer.until("0\r\n\r\n")), "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
    EXPECT_EQ(run(peer.answer()).body, "GET /echo ");
}

TEST_F(Exchange, StreamsPlainlyToHttp10AndNothingToHead)
{
    start();
    answers.on["/stream"] = stream_three;
    auto old = connect();
    run(old.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    const auto all = run(old.rest());
    EXPECT_TRUE(all.ends_with("\r\n\r\nonetwo")) << all;
    EXPECT_EQ(all.find("chunked"), std::string::npos) << all;

    auto peer = connect();
    run(peer.send("HEAD /stream" + host + "\r\nGET /echo" + host + "\r\n"));
    EXPECT_EQ(run(peer.answer(true)).status, 200);
    EXPECT_EQ(run(peer.answer()).body, "GET /echo ");
}

TEST_F(Exchange, AStreamThatIsNotFinishedIsCut)
{
    start();
    answers.on["/cut"] = cut_stream;
    auto peer = connect();
    run(peer.send("GET /cut" + host + "\r\n"));
    const auto all = run(peer.rest());
    EXPECT_TRUE(all.ends_with("4\r\nhalf\r\n")) << all;
}

TEST_F(Exchange, AWriterLearnsThatTheClientIsGone)
{
    start();
    answers.on["/endless"] = [&](exchange& one) { return stream_without_end(one, &out); };
    auto peer = connect();
    run(peer.send("GET /endless" + host + "\r\n"));
    settle();
    EXPECT_TRUE(out.wrote) << "it waits for the client to read";
    peer.reset();
    settle();
    EXPECT_FALSE(out.wrote);
    EXPECT_EQ(web->connections(), 0u);
}

TEST_F(Exchange, ASlowReaderGetsAllOfALongStream)
{
    start();
    answers.on["/endless"] = [&](exchange& one) { return stream_without_end(one, &out); };
    auto peer = connect();
    run(peer.send("GET /endless" + host + "\r\n"));
    for (int i = 0; i < 5; ++i) {
        settle();
        const auto before = out.bytes;
        while (out.bytes == before)
            run(peer.closed());    // reads a piece
        time.advance(20s);
    }
    EXPECT_TRUE(out.wrote);
}

TEST_F(Exchange, AFailingHandlerIs500)
{
    start();
    answers.on["/fail"] = fail;
    answers.on["/forget"] = forget;
    for (const std::string path : {"/fail", "/forget"}) {
        auto peer = connect();
        run(peer.send("GET " + path + host + "\r\nGET /echo" + host + "\r\n"));
        const auto got = run(peer.answer());
        EXPECT_EQ(got.status, 500);
        EXPECT_NE(got.body.find(R"("error":"internal_error")"), std::string::npos) << got.body;
        EXPECT_EQ(got.body.find("bug"), std::string::npos) << got.body;
        EXPECT_EQ(run(peer.answer()).status, 200);
    }
    EXPECT_EQ(log.lines, std::vector<std::string>(2, "a request handler failed"));
    log.lines.clear();
}

TEST_F(Exchange, AFailureAfterTheAnswerIsOnlyLogged)
{
    start();
    answers.on["/fail"] = fail_after_answer;
    auto peer = connect();
    run(peer.send("GET /fail" + host + "\r\nGET /echo" + host + "\r\n"));
    EXPECT_EQ(run(peer.answer()).body, "done");
    EXPECT_EQ(run(peer.answer()).status, 200);
    EXPECT_EQ(log.lines.size(), 1u);
    log.lines.clear();
}

TEST_F(Exchange, StatusWithoutBodyHasNoLength)
{
    start();
    answers.on["/none"] = [](exchange& one) { return one.respond({204, {}, "dropped"}); };
    auto peer = connect();
    run(peer.send("GET /none" + host + "\r\nGET /echo" + host + "\r\n"));
    EXPECT_EQ(run(peer.answer()).head.find("Content-Length"), std::string::npos);
    EXPECT_EQ(run(peer.answer()).body, "GET /echo ");
}

TEST_F(Exchange, StopLetsHandlersAnswerAndClosesIdleConnections)
{
    start();
    answers.on["/wait"] = [&](exchange& one) { return wait_for_drain(one, time, &out); };
    auto idle = connect();
    auto busy = connect();
    run(busy.send("GET /wait" + host + "\r\n"));
    settle();
    ASSERT_TRUE(out.begun);
    bool stopped = false;
    asio::co_spawn(context, web->stop(time.steady_now() + 10s), [&](std::exception_ptr) { stopped = true; });
    EXPECT_TRUE(run(idle.closed()));
    const auto got = run(busy.answer());
    EXPECT_EQ(got.status, 202);
    EXPECT_NE(got.head.find("Connection: close\r\n"), std::string::npos) << got.head;
    EXPECT_TRUE(out.drained);
    busy.socket().close();
    settle();
    EXPECT_TRUE(stopped);
    boost::system::error_code refused;
    tcp_socket late(context);
    late.connect(tcp::endpoint(asio::ip::make_address(at.address), at.port), refused);
    EXPECT_EQ(refused, asio::error::connection_refused);
}

TEST_F(Exchange, StopServesWhatWasSentBefore)
{
    start();
    auto peer = connect();
    settle();
    asio::write(peer.socket(), asio::buffer("GET /echo" + host + "\r\n"));
    asio::co_spawn(context, web->stop(time.steady_now() + 10s), [](std::exception_ptr) { });
    const auto got = run(peer.answer());
    EXPECT_EQ(got.status, 200);
    EXPECT_NE(got.head.find("Connection: close\r\n"), std::string::npos);
}

TEST_F(Exchange, StopCutsWhatOutlastsItsDeadline)
{
    start();
    answers.on["/wait"] = [&](exchange& one) { return wait_for_client(one, time, &out); };
    auto peer = connect();
    run(peer.send("GET /wait" + host + "\r\n"));
    settle();
    bool stopped = false;
    asio::co_spawn(context, web->stop(time.steady_now() + 10s), [&](std::exception_ptr) { stopped = true; });
    settle();
    EXPECT_FALSE(stopped);
    time.advance(11s);
    settle();
    EXPECT_TRUE(stopped);
    EXPECT_EQ(web->connections(), 0u);
    EXPECT_EQ(run(peer.rest()), "");
}

TEST(ServerLifetime, MayEndWithSuspendedSessions)
{
    kept_log log;
    test_handler answers;
    seen out;
    {
        asio::io_context context;
        testing::fake_timers time(context.get_executor());
        server web(context.get_executor(), time, log, answers);
        const auto at = web.listen("127.0.0.1", 0).value().at(0);
        answers.on["/wait"] = [&](exchange& one) { return wait_for_client(one, time, &out); };
        raw_client idle(context.get_executor(), at);
        raw_client busy(context.get_executor(), at);
        testing::run_task(context, busy.send("GET /wait" + host + "\r\n"));
        while (!out.begun)
            context.run_one();
    }
    EXPECT_FALSE(out.gone);
}

}    // namespace
}    // namespace caisson::net
