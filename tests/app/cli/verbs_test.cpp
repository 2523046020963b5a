#include "app/cli/exit_status.hpp"
#include "app/cli/verbs.hpp"
#include "core/async/notifier.hpp"
#include "tests/app/cli/captured.hpp"
#include "tests/app/cli/scripted_server.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

namespace caisson::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* id = "exe_01jd2c3m4n5p6q7r8s9t0v1w2x";

/// A scripted server on a thread of its own, and verbs that talk to it.
class Verbs : public ::testing::Test {
protected:
    Verbs()
    {
        context_.environment = {{"CAISSON_API_KEY", "csn_key"}};
        context_.host = {.is_root = true, .cores = 2, .executable_dir = "/opt"};
        client_.url = listener_.listen("127.0.0.1", 0).value().at(0).url();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~Verbs() override
    {
        asio::co_spawn(io_, listener_.stop(time_.steady_now()), [this](std::exception_ptr) { io_.stop(); });
        thread_.join();
    }

    template <class Options>
    outcome run(Options options)
    {
        options.client.url = client_.url;
        options.client.output = client_.output;
        return captured(options, context_);
    }

    system_timers time_;
    null_logger log_;
    asio::io_context io_{1};
    scripted_server server_;
    net::server listener_{io_.get_executor(), time_, log_, server_};
    client_options client_;
    verb_context context_;
    std::thread thread_;
};

std::string page(std::vector<std::string> ids, const std::string& next)
{
    std::string items;
    for (const auto& one : ids)
        items += (items.empty() ? "" : ",") + std::string(R"({"execution_id":")") + one + R"(","status":"running","kind":"shell"})";
    return R"({"items":[)" + items + R"(],"next_cursor":)" + (next.empty() ? "null" : "\"" + next + "\"") + "}";
}

TEST_F(Verbs, PsAsksForWhatHasNotEndedNewestFirst)
{
    server_.script = {scripted_server::answer(200, page({"exe_3", "exe_1"}, "")), scripted_server::answer(200, page({"exe_2"}, ""))};
    const auto got = run(ps_options());
    EXPECT_EQ(got.status, exit_status::ok);
    EXPECT_THAT(server_.targets, ElementsAre("GET /v1/executions?limit=50&status=queued", "GET /v1/executions?limit=50&status=running"));
    EXPECT_LT(got.out.find("exe_3"), got.out.find("exe_2"));
    EXPECT_LT(got.out.find("exe_2"), got.out.find("exe_1"));
}

TEST_F(Verbs, PsShowsOneThatStartsBetweenTheQuestionsOnce)
{
    server_.script = {scripted_server::answer(200, page({"exe_1"}, "")), scripted_server::answer(200, page({"exe_1"}, ""))};
    client_.output = output_format::json;
    EXPECT_EQ(boost::json::parse(run(ps_options()).out).as_array().size(), 1u);
}

std::vector<std::string> numbered(int from, int count)
{
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i)
        ids.push_back("exe_" + std::to_string(from - i));
    return ids;
}

TEST_F(Verbs, PsTakesAsManyPagesAsItNeeds)
{
    server_.script = {
        scripted_server::answer(200, page(numbered(900, 200), "n/x")), scripted_server::answer(200, page(numbered(700, 50), "more"))};
    ps_options options;
    options.all = true;
    options.label = "job=a b";
    options.limit = 250;
    client_.output = output_format::json;
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::ok);
    EXPECT_THAT(server_.targets,
        ElementsAre("GET /v1/executions?limit=200&label=job%3Da%20b", "GET /v1/executions?limit=50&label=job%3Da%20b&cursor=n%2Fx"));
    EXPECT_EQ(boost::json::parse(got.out).as_array().size(), 250u);
}

TEST_F(Verbs, ShowPrintsTheRecord)
{
    server_.script = {scripted_server::answer(200, R"({"execution_id":"exe_1","status":"success","exit_code":0})")};
    show_options options;
    options.id = id;
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::ok);
    EXPECT_EQ(got.out, "execution_id      exe_1\nstatus            success\nexit_code         0\n");
    EXPECT_THAT(server_.targets, ElementsAre(std::string("GET /v1/executions/") + id + "?include=none"));
}

TEST_F(Verbs, ARefusalIsOneSentenceOnStderr)
{
    server_.script = {scripted_server::answer(404, R"({"error":"not_found","message":"there is no execution exe_1"})")};
    cancel_options options;
    options.id = id;
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::failed);
    EXPECT_EQ(got.err, std::string("caisson: ") + id + ": there is no execution exe_1\n");
    EXPECT_THAT(got.out, IsEmpty());
}

TEST_F(Verbs, CancelPrintsTheIdAndItsStatus)
{
    server_.script = {scripted_server::answer(202, R"({"execution_id":"exe_1","status":"cancelled"})")};
    cancel_options options;
    options.id = id;
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::ok);
    EXPECT_EQ(got.out, std::string(id) + " cancelled\n");
    EXPECT_THAT(server_.targets, ElementsAre(std::string("POST /v1/executions/") + id + "/cancel"));
}

TEST_F(Verbs, CancelAsJsonPrintsTheRecord)
{
    server_.script = {scripted_server::answer(202, R"({"execution_id":"exe_1","status":"running"})")};
    client_.output = output_format::json;
    cancel_options options;
    options.id = id;
    EXPECT_EQ(run(options).out, "{\"execution_id\":\"exe_1\",\"status\":\"running\"}\n");
}

TEST_F(Verbs, RmGoesOnAfterAFailure)
{
    server_.script = {scripted_server::answer(409, R"({"error":"conflict","message":"it still runs"})"), scripted_server::answer(204, "")};
    rm_options options;
    options.ids = {"exe_1", "exe_2"};
    client_.output = output_format::json;
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::failed);
    EXPECT_EQ(got.err, "caisson: exe_1: it still runs\n");
    EXPECT_EQ(got.out, "{\"removed\":[\"exe_2\"]}\n");
}

TEST_F(Verbs, LogsGoOnWhereTheConnectionBroke)
{
    server_.script = {
        scripted_server::pieces({R"({"kind":"output","stream":"stdout","offset":0,"data":"ab","cursor":"c1"})", "\n{\"kind\":"}, true),
        scripted_server::pieces({R"({"kind":"output","stream":"stdout","offset":1,"data":"bc","cursor":"c2"})"
                                 "\n",
                                    R"({"kind":"output","stream":"stderr","offset":0,"data":"oops","cursor":"c3"})"
                                    "\n"},
            false)};
    logs_options options;
    options.id = id;
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::ok);
    EXPECT_EQ(got.out, "abc");
    EXPECT_EQ(got.err, "oops");
    EXPECT_THAT(server_.targets.back(), HasSubstr("/events?after=c1"));
}

TEST_F(Verbs, LogsOfOneStream)
{
    server_.script = {scripted_server::pieces({R"({"kind":"output","stream":"stdout","offset":0,"data":"out"})"
                                               "\n",
                                                  R"({"kind":"output","stream":"stderr","offset":0,"data":"err"})"
                                                  "\n"},
        false)};
    logs_options options;
    options.id = id;
    options.stream = "stderr";
    const auto got = run(options);
    EXPECT_EQ(got.out, "");
    EXPECT_EQ(got.err, "err");
}

scripted_server::action accepted()
{
    return scripted_server::answer(202, std::string(R"({"execution_id":")") + id + R"(","status":"queued"})");
}

run_options command(std::vector<std::string> argv)
{
    run_options options;
    options.command = std::move(argv);
    return options;
}

TEST_F(Verbs, RunShowsTheOutputAndExitsLikeTheProgram)
{
    server_.script = {accepted(), scripted_server::frames({R"({"kind":"output","stream":"stdout","offset":0,"data":"hi\n"})",
                                                              R"({"kind":"output","stream":"stderr","offset":0,"data":"warn\n"})",
                                                              R"({"kind":"exit","status":"failed","verdict":"exited","exit_code":7})"},
                                      net::close_code::normal)};
    const auto got = run(command({"true"}));
    EXPECT_EQ(got.status, 7);
    EXPECT_EQ(got.out, "hi\n");
    EXPECT_EQ(got.err, "warn\n");
    EXPECT_EQ(server_.bodies.at(0), R"({"command":["true"],"wait":false})");
}

TEST_F(Verbs, RunSaysWhyAProgramWasEnded)
{
    server_.script = {accepted(),
        scripted_server::frames({R"({"kind":"exit","status":"timeout","verdict":"wall_limit","signal":15})"}, net::close_code::normal)};
    const auto got = run(command({"sleep", "99"}));
    EXPECT_EQ(got.status, exit_status::timeout);
    EXPECT_EQ(got.err, std::string("caisson: the program was ended at its time limit (") + id + ")\n");
}

TEST_F(Verbs, RunThatCollectsSaysWhyItFailedAndWhatIsKept)
{
    server_.script = {accepted(),
        scripted_server::frames({R"({"kind":"exit","status":"failed","verdict":"exited","exit_code":3})"}, net::close_code::normal),
        scripted_server::answer(200, R"({"status":"failed","verdict":"exited","exit_code":3,"files_list":["o/x"],
            "artifacts":{"files":1,"bytes":29}})")};
    auto options = command({"true"});
    options.collect = {"o/**"};
    const auto got = run(options);
    EXPECT_EQ(got.status, 3);
    EXPECT_EQ(got.err, std::string("caisson: kept 1 file (29 B): o/x; to fetch: caisson artifacts get ") + id +
                           "\ncaisson: the program exited with code 3 (" + id + ")\n");
}

TEST_F(Verbs, RunDetachedPrintsTheId)
{
    server_.script = {accepted()};
    auto options = command({"true"});
    options.detach = true;
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::ok);
    EXPECT_EQ(got.out, std::string(id) + "\n");
}

TEST_F(Verbs, RunAsJsonPrintsTheRecordOnly)
{
    server_.script = {accepted(),
        scripted_server::frames({R"({"kind":"output","stream":"stdout","offset":0,"data":"hi\n"})",
                                    R"({"kind":"exit","status":"success","verdict":"exited","exit_code":0})"},
            net::close_code::normal),
        scripted_server::answer(200, R"({"execution_id":"exe_1","stdout":"hi\n","stages":{"run_ms":1.5}})")};
    auto options = command({"true"});
    options.stats = true;
    client_.output = output_format::json;
    const auto got = run(options);
    EXPECT_EQ(got.status, 0);
    EXPECT_EQ(boost::json::parse(got.out).at("stdout").as_string(), "hi\n");
    EXPECT_THAT(got.err, HasSubstr("run 1.5 ms"));
}

TEST_F(Verbs, RunIsSentAgainWhenItsAnswerGotLost)
{
    server_.script = {scripted_server::hang_up(), scripted_server::answer(202, R"({"execution_id":")" + std::string(id) + "\"}")};
    auto options = command({"true"});
    options.detach = true;
    const auto done = run(options);
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.out, std::string(id) + "\n");
    ASSERT_EQ(server_.keys.size(), 2u);
    EXPECT_EQ(server_.keys[0], server_.keys[1]);
    EXPECT_EQ(server_.keys[0].size(), 38u) << server_.keys[0];
    EXPECT_EQ(server_.bodies[0], server_.bodies[1]);
}

TEST_F(Verbs, EachRunHasAKeyOfItsOwn)
{
    auto options = command({"true"});
    options.detach = true;
    for (int i = 0; i < 2; ++i) {
        server_.script = {scripted_server::answer(202, R"({"execution_id":")" + std::string(id) + "\"}")};
        run(options);
    }
    ASSERT_EQ(server_.keys.size(), 2u);
    EXPECT_NE(server_.keys[0], server_.keys[1]);
}

TEST_F(Verbs, RunThatIsRefusedWasNotRun)
{
    server_.script = {scripted_server::answer(400, R"({"error":"bad_request","message":"limits.wall_ms must be from 100 to 3600000"})")};
    const auto got = run(command({"true"}));
    EXPECT_EQ(got.status, exit_status::infrastructure);
    EXPECT_EQ(got.err, "caisson: limits.wall_ms must be from 100 to 3600000\n");
}

/// A stream that interrupts this process and ends with `last` once a cancel has come.
task<> interrupted_stream(net::exchange& one, std::shared_ptr<notifier> cancelled, std::string last)
{
    auto socket = co_await one.upgrade(net::websocket_options());
    ::kill(::getpid(), SIGINT);
    co_await cancelled->wait_past(0);
    (*socket)->send_text(std::move(last));
    co_await (*socket)->drained(0);
    co_await (*socket)->close(net::close_code::normal, "");
}

/// The answer to a cancel; with `again` this process is interrupted a second time instead of the stream's end.
task<> take_cancel(net::exchange& one, std::shared_ptr<notifier> cancelled, bool again)
{
    net::response done{200, {}, "{}"};
    co_await one.respond(std::move(done));
    if (again)
        ::kill(::getpid(), SIGINT);
    else
        cancelled->notify_all();
}

TEST_F(Verbs, AnInterruptCancelsAndWaitsForTheEnd)
{
    const auto cancelled = std::make_shared<notifier>(io_.get_executor());
    const std::string last = R"({"kind":"exit","status":"cancelled","verdict":"cancelled","signal":15})";
    server_.script = {accepted(), [=](net::exchange& one) { return interrupted_stream(one, cancelled, last); },
        [=](net::exchange& one) { return take_cancel(one, cancelled, false); }};
    const auto got = run(command({"sleep", "99"}));
    EXPECT_EQ(got.status, exit_status::cancelled);
    EXPECT_THAT(got.err, HasSubstr("caisson: the execution was cancelled"));
    EXPECT_EQ(server_.targets.back(), std::string("POST /v1/executions/") + id + "/cancel");
}

TEST_F(Verbs, ASecondInterruptLeavesIt)
{
    const auto cancelled = std::make_shared<notifier>(io_.get_executor());
    server_.script = {accepted(), [=](net::exchange& one) { return interrupted_stream(one, cancelled, "{}"); },
        [=](net::exchange& one) { return take_cancel(one, cancelled, true); }};
    const auto got = run(command({"sleep", "99"}));
    EXPECT_EQ(got.status, exit_status::cancelled);
    EXPECT_THAT(got.err, HasSubstr(std::string("left ") + id));
}

TEST_F(Verbs, RunWithoutAServerSaysWhatToDo)
{
    auto options = command({"true"});
    options.client.url = "http://127.0.0.1:1";
    ::testing::internal::CaptureStderr();
    const int status = run_verb(options, context_);
    const auto err = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(status, exit_status::infrastructure);
    EXPECT_THAT(err, HasSubstr("127.0.0.1:1"));
    EXPECT_THAT(err, HasSubstr("caisson serve"));
}

}    // namespace
}    // namespace caisson::cli
