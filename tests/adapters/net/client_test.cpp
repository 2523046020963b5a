#include "adapters/net/client.hpp"
#include "tests/adapters/net/fixture.hpp"

namespace caisson::net {
namespace {

using namespace std::chrono_literals;

task<> two_pieces(exchange& one, notifier* second)
{
    response head{200, {{"Content-Type", "text/event-stream"}}, ""};
    auto out = co_await one.begin_stream(std::move(head));
    co_await out->write("data: 1\n\n");
    co_await second->wait_past(0);
    co_await out->write("data: 2\n\n");
    co_await out->finish();
}

task<> half(exchange& one)
{
    response head;
    auto out = co_await one.begin_stream(std::move(head));
    co_await out->write("half");
}

task<> never(exchange& one) { static_cast<void>(co_await one.client_gone()); }

task<> decline(exchange& one)
{
    response answer{401, {{"Content-Type", "application/json"}}, R"({"error":"unauthorized","message":"send a key"})"};
    co_await one.respond(std::move(answer));
}

class Client : public server_test {
protected:
    void begin(server_options options = {}, client_options own = {})
    {
        start(options);
        user.emplace(context.get_executor(), time, url{at.address, at.port}, own);
    }
    result<response> send(std::string method, std::string target, std::string body = "")
    {
        return run(user->send(make(std::move(method), std::move(target), std::move(body)), time.steady_now() + 1min));
    }
    static request make(std::string method, std::string target, std::string body = "")
    {
        request out;
        out.method = std::move(method);
        out.target = std::move(target);
        out.body = std::move(body);
        return out;
    }
    std::optional<client> user;
};

TEST_F(Client, SendsAndKeepsItsConnection)
{
    begin();
    for (int i = 0; i < 3; ++i) {
        const auto got = send("POST", "/echo", "hi");
        ASSERT_TRUE(got.has_value()) << got.error().detail;
        EXPECT_EQ(got->status, 200);
        EXPECT_EQ(got->body, "POST /echo hi");
    }
    EXPECT_EQ(send("HEAD", "/echo")->body, "");
    EXPECT_EQ(send("GET", "/query?a=1")->body, "a=1\n");
    EXPECT_EQ(web->connections(), 1u);
}

TEST_F(Client, TakesLargeAnswers)
{
    begin();
    const std::string body(5'000'000, 'b');
    EXPECT_EQ(send("POST", "/echo", body)->body, "POST /echo " + body);
}

TEST_F(Client, BoundsAnswers)
{
    begin({}, {.max_response_bytes = 10});
    EXPECT_TRUE(send("GET", "/echo").has_value());
    const auto got = send("GET", "/echo2");
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::too_large);
    EXPECT_NE(got.error().detail.find("10 bytes"), std::string::npos) << got.error().detail;
}

TEST_F(Client, ReadsTheAnswerToARefusedBody)
{
    begin();
    const auto got = send("POST", "/small", std::string(3'000'000, 'x'));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(got->status, 413);
}

TEST_F(Client, DropsAConnectionThatTheServerClosedMeanwhile)
{
    begin();
    ASSERT_TRUE(send("POST", "/echo").has_value());
    settle();
    time.advance(80s);
    settle();
    EXPECT_EQ(web->connections(), 0u);
    EXPECT_TRUE(send("POST", "/echo").has_value());
    EXPECT_EQ(answers.handled, 2u);
}

TEST_F(Client, ReadsAStreamAsItComes)
{
    begin();
    notifier second(context.get_executor());
    answers.on["/stream"] = [&](exchange& one) { return two_pieces(one, &second); };
    auto got = run(user->open_stream(make("GET", "/stream"), time.steady_now() + 1min));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    auto& body = **got;
    EXPECT_EQ(body.head().fields.find("content-type"), "text/event-stream");
    EXPECT_EQ(run(body.read())->value(), "data: 1\n\n");
    second.notify_all();
    EXPECT_EQ(run(body.read())->value(), "data: 2\n\n");
    EXPECT_EQ(run(body.read()).value(), std::nullopt);
    EXPECT_EQ(run(body.read()).value(), std::nullopt);
}

TEST_F(Client, SaysThatAnAnswerWasCut)
{
    begin();
    answers.on["/half"] = half;
    auto got = run(user->open_stream(make("GET", "/half"), time.steady_now() + 1min));
    EXPECT_EQ(run((*got)->read())->value(), "half");
    const auto cut = run((*got)->read());
    ASSERT_TRUE(cut.has_error());
    EXPECT_EQ(cut.error().code, errc::runtime_unavailable);
    EXPECT_NE(cut.error().detail.find("before the answer was complete"), std::string::npos) << cut.error().detail;
}

TEST_F(Client, ClosingAStreamEndsTheHandler)
{
    begin();
    answers.on["/never"] = never;
    {
        notifier later(context.get_executor());
        answers.on["/stream"] = [&](exchange& one) { return two_pieces(one, &later); };
        auto got = run(user->open_stream(make("GET", "/stream"), time.steady_now() + 1min));
        EXPECT_EQ(web->connections(), 1u);
        got->reset();
        later.notify_all();
        settle();
    }
    EXPECT_EQ(web->connections(), 0u);
}

TEST_F(Client, TimesOut)
{
    begin();
    answers.on["/never"] = never;
    std::optional<result<response>> got;
    auto sending = user->send(make("GET", "/never"), time.steady_now() + 5s);
    asio::co_spawn(context, std::move(sending), [&](std::exception_ptr, result<response> value) { got = std::move(value); });
    settle();
    EXPECT_FALSE(got);
    time.advance(5s);
    settle();
    ASSERT_TRUE(got);
    ASSERT_TRUE(got->has_error());
    EXPECT_EQ(got->error().code, errc::timed_out);
    EXPECT_NE(got->error().detail.find(at.url()), std::string::npos) << got->error().detail;
}

TEST_F(Client, SaysThatNobodyListens)
{
    begin();
    const auto address = at.url();
    run(web->stop(time.steady_now()));
    const auto got = send("GET", "/echo");
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::runtime_unavailable);
    EXPECT_NE(got.error().detail.find(address), std::string::npos) << got.error().detail;
    EXPECT_NE(got.error().detail.find("Is the server running"), std::string::npos) << got.error().detail;
}

TEST_F(Client, ReachesAServerByName)
{
    start();
    user.emplace(context.get_executor(), time, url{"localhost", web->listen("localhost", 0)->at(0).port, "/base"});
    EXPECT_EQ(send("GET", "/x")->body, "GET /base/x ");
    user.emplace(context.get_executor(), time, url{"no-such-host.invalid", 1});
    const auto got = send("GET", "/x");
    ASSERT_TRUE(got.has_error());
    EXPECT_NE(got.error().detail.find("no-such-host.invalid"), std::string::npos) << got.error().detail;
}

TEST_F(Client, TellsWhyAWebSocketWasDeclined)
{
    begin();
    answers.on["/ws"] = decline;
    const auto got = run(user->connect_websocket("/ws", {}, time.steady_now() + 1min));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::unauthorized);
    EXPECT_EQ(got.error().detail, "send a key");
}

/// A server that says one thing and closes.
task<> say(std::shared_ptr<asio::basic_socket_acceptor<tcp, io_executor>> at, std::string bytes)
{
    auto socket = co_await at->async_accept(use_task);
    co_await asio::async_write(socket, asio::buffer(bytes), use_task);
    std::string request(1000, '\0');
    co_await socket.async_read_some(asio::buffer(request), use_task);
}

struct answer_case {
    std::string_view name;
    std::string bytes;
    std::string_view says;    // the body, or a part of the error
    bool good;
};
class ClientAnswer : public Client, public ::testing::WithParamInterface<answer_case> { };
TEST_P(ClientAnswer, IsUnderstoodOrRefused)
{
    const auto& c = GetParam();
    const tcp::endpoint any(asio::ip::make_address("127.0.0.1"), 0);
    auto listener = std::make_shared<asio::basic_socket_acceptor<tcp, io_executor>>(context.get_executor(), any);
    asio::co_spawn(context, say(listener, c.bytes), [](std::exception_ptr) { });
    user.emplace(context.get_executor(), time, url{"127.0.0.1", listener->local_endpoint().port()});
    const auto got = send("GET", "/");
    EXPECT_EQ(got.has_value(), c.good);
    const auto& text = got.has_value() ? got->body : got.error().detail;
    EXPECT_NE(text.find(c.says), std::string::npos) << text;
}
INSTANTIATE_TEST_SUITE_P(Cases, ClientAnswer,
    ::testing::Values(answer_case{"until_close", "HTTP/1.1 200 OK\r\n\r\nall", "all", true},
        answer_case{"continue_first", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", true},
        answer_case{"not_http", "220 mail.example.com ESMTP\r\n\r\n", "status line", false},
        answer_case{"cut_head", "HTTP/1.1 200 OK\r\n", "before the answer was complete", false},
        answer_case{"cut_body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "before the answer was complete", false},
        answer_case{"nothing", "", "before the answer was complete", false},
        answer_case{"endless_head", "HTTP/1.1 200 OK\r\nA: " + std::string(70'000, 'a'), "65536 bytes", false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ErrorOfStatus, TakesTheMessageOrTheStatus)
{
    EXPECT_EQ(error_of_status(404, R"({"message":"no such execution"})").detail, "no such execution");
    EXPECT_EQ(error_of_status(404, "").code, errc::not_found);
    EXPECT_EQ(error_of_status(502, "<html>").detail, "the server answered 502 Bad Gateway: <html>");
    EXPECT_EQ(error_of_status(502, "").code, errc::internal);
    EXPECT_EQ(error_of_status(418, "[1]").code, errc::bad_request);
}

}    // namespace
}    // namespace caisson::net
