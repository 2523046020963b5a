#include "tests/app/cli/scripted_server.hpp"

namespace caisson::cli {

namespace {

task<> respond(net::exchange& one, int status, std::string body)
{
    net::response head{status, {{"Content-Type", "application/json"}}, std::move(body)};
    co_await one.respond(std::move(head));
}

task<> abandon(net::exchange& one)
{
    // An answer that is begun and not finished makes the server cut the connection.
    auto writer = co_await one.begin_stream(net::response());
    writer.reset();
}

task<> send_frames(net::exchange& one, std::vector<std::string> frames, std::uint16_t code)
{
    auto socket = co_await one.upgrade(net::websocket_options());
    for (auto& frame : frames)
        (*socket)->send_text(std::move(frame));
    co_await (*socket)->drained(0);
    if (code != 0)
        co_await (*socket)->close(code, "as the script says");
}

task<> send_pieces(net::exchange& one, std::vector<std::string> pieces, bool cut)
{
    auto writer = co_await one.begin_stream(net::response());
    for (const auto& piece : pieces)
        static_cast<void>(co_await writer->write(piece));
    if (!cut)
        co_await writer->finish();
}

}    // namespace

task<> scripted_server::handle(net::exchange& one)
{
    targets.push_back(one.request().method + " " + one.request().target);
    bodies.push_back(one.request().body);
    credentials.emplace_back(one.request().fields.find("Authorization").value_or(""));
    keys.emplace_back(one.request().fields.find("Idempotency-Key").value_or(""));
    auto next = script.empty() ? answer(500, "{}") : script.front();
    if (!script.empty())
        script.pop_front();
    co_await next(one);
}

scripted_server::action scripted_server::answer(int status, std::string body)
{
    return [status, body](net::exchange& one) { return respond(one, status, body); };
}

scripted_server::action scripted_server::hang_up()
{
    return [](net::exchange& one) { return abandon(one); };
}

scripted_server::action scripted_server::frames(std::vector<std::string> frames, std::uint16_t code)
{
    return [frames, code](net::exchange& one) { return send_frames(one, frames, code); };
}

scripted_server::action scripted_server::pieces(std::vector<std::string> pieces, bool cut)
{
    return [pieces, cut](net::exchange& one) { return send_pieces(one, pieces, cut); };
}

ScriptedTest::ScriptedTest()
{
    const auto at = listener_.listen("127.0.0.1", 0).value();
    server_access access{net::url::parse(at.at(0).url()).value(), secret(std::string(key)), "set CAISSON_API_KEY"};
    api_.emplace(io_.get_executor(), time_, std::move(access));
}

ScriptedTest::~ScriptedTest()
{
    bool gone = false;
    asio::post(io_, [this, &gone] {    // from inside the loop, as cancelling there takes effect at once
        api_.reset();
        gone = true;
    });
    turn_until(gone);
    bool stopped = false;
    asio::co_spawn(io_, listener_.stop(time_.steady_now()), [&stopped](std::exception_ptr) { stopped = true; });
    turn_until(stopped);
}

void ScriptedTest::turn_until(const bool& done)
{
    constexpr int most_idle_turns = 2'000;
    io_.restart();
    for (int idle = 0; !done && idle < most_idle_turns;) {
        if (io_.run_one_for(std::chrono::milliseconds(2)) > 0)
            continue;
        io_.restart();
        time_.advance(std::chrono::milliseconds(200));
        ++idle;
    }
    ASSERT_TRUE(done) << "nothing happens any more";
}

}    // namespace caisson::cli
