#include "app/cli/follower.hpp"
#include "app/cli/stdin_forwarder.hpp"
#include "tests/app/cli/scripted_server.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <gmock/gmock.h>

#include <fcntl.h>

namespace caisson::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* exit_frame = R"({"kind":"exit","status":"success","verdict":"exited","exit_code":0,"cursor":"end"})";

std::string output(std::uint64_t offset, std::string_view data, std::string_view cursor)
{
    return boost::json::serialize(
        boost::json::object{{"kind", "output"}, {"stream", "stdout"}, {"offset", offset}, {"data", data}, {"cursor", cursor}});
}

/// Keeps what is written; `room` writes at most.
class kept_sink : public output_sink {
public:
    task<bool> write(frame_effects effects) override
    {
        if (writes_left-- == 0)
            co_return false;
        for (const auto& chunk : effects.output)
            text += chunk.bytes;
        if (!effects.note.empty())
            notes.push_back(effects.note);
        co_return true;
    }
    std::string text;
    std::vector<std::string> notes;
    int writes_left = 1'000;
};

class Follower : public ScriptedTest {
protected:
    result<boost::json::object> follow()
    {
        follower one(*api_, time_, "exe_1", sink_);
        return run(one.to_the_end());
    }
    kept_sink sink_;
};

TEST_F(Follower, FollowsToTheEnd)
{
    server_.script = {
        scripted_server::frames({output(0, "hello ", "c1"), output(6, "world\n", "c2"), exit_frame}, net::close_code::normal)};
    const auto end = follow();
    ASSERT_TRUE(end.has_value()) << end.error().detail;
    EXPECT_EQ(end->at("exit_code").as_int64(), 0);
    EXPECT_EQ(sink_.text, "hello world\n");
    EXPECT_THAT(server_.targets, ElementsAre("GET /v1/executions/exe_1/stream?after=0"));
    EXPECT_THAT(server_.credentials, ElementsAre("Bearer csn_key"));
}

struct break_case {
    std::string_view name;
    scripted_server::action first;
};
class FollowerResumes : public Follower, public ::testing::WithParamInterface<break_case> { };

TEST_P(FollowerResumes, AtTheCursorWithoutLossOrRepeat)
{
    server_.script = {GetParam().first, scripted_server::answer(503, R"({"error":"runtime_unavailable","message":"starting"})"),
        scripted_server::answer(502, "<html>"), scripted_server::frames({output(2, "cdef", "c2"), exit_frame}, net::close_code::normal)};
    const auto end = follow();
    ASSERT_TRUE(end.has_value()) << end.error().detail;
    EXPECT_EQ(sink_.text, "abcdef");
    EXPECT_THAT(sink_.notes, ElementsAre());
    ASSERT_EQ(server_.targets.size(), 4u);
    EXPECT_EQ(server_.targets.back(), "GET /v1/executions/exe_1/stream?after=c1");
}

INSTANTIATE_TEST_SUITE_P(After, FollowerResumes,
    ::testing::Values(break_case{"cut", scripted_server::frames({output(0, "abc", "c1")}, 0)},
        break_case{"going_away", scripted_server::frames({output(0, "abc", "c1")}, net::close_code::going_away)},
        break_case{"closed_early", scripted_server::frames({output(0, "abc", "c1")}, net::close_code::normal)}),
    [](const auto& info) { return std::string(info.param.name); });

struct refusal_case {
    std::string_view name;
    scripted_server::action first;
    errc want;
    std::string_view detail;
};
class FollowerStops : public Follower, public ::testing::WithParamInterface<refusal_case> { };

TEST_P(FollowerStops, WhereTryingAgainIsNoUse)
{
    server_.script = {GetParam().first};
    const auto end = follow();
    ASSERT_TRUE(end.has_error());
    EXPECT_EQ(end.error().code, GetParam().want);
    EXPECT_THAT(end.error().detail, HasSubstr(std::string(GetParam().detail)));
    EXPECT_EQ(server_.targets.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Cases, FollowerStops,
    ::testing::Values(refusal_case{"not_found", scripted_server::answer(404, R"({"error":"not_found","message":"no such execution"})"),
                          errc::not_found, "no such execution"},
        refusal_case{"wrong_key", scripted_server::answer(401, R"({"error":"unauthorized","message":"bad key"})"), errc::unauthorized,
            "set CAISSON_API_KEY"},
        refusal_case{"policy",
            scripted_server::frames({R"({"kind":"error","error":"forbidden","message":"the key was revoked"})"}, net::close_code::policy),
            errc::forbidden, "the key was revoked"},
        refusal_case{"rubbish", scripted_server::frames({"hello"}, net::close_code::normal), errc::bad_request, "cannot be read"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Follower, StopsWhenNobodyReads)
{
    sink_.writes_left = 1;
    server_.script = {scripted_server::frames({output(0, "a", "c1"), output(1, "b", "c2"), exit_frame}, net::close_code::normal)};
    const auto end = follow();
    ASSERT_TRUE(end.has_error());
    EXPECT_EQ(end.error().code, errc::cancelled);
    EXPECT_EQ(sink_.text, "a");
}

TEST_F(Follower, GivesUpAfterAMinuteAndSaysWhatToDo)
{
    server_.script = {scripted_server::frames({output(0, "abc", "c1")}, 0)};
    for (int i = 0; i < 100; ++i)
        server_.script.push_back(scripted_server::answer(503, R"({"error":"runtime_unavailable","message":"starting"})"));
    const auto began = time_.steady_now();
    const auto end = follow();
    ASSERT_TRUE(end.has_error());
    EXPECT_EQ(end.error().code, errc::runtime_unavailable);
    EXPECT_THAT(end.error().detail, HasSubstr("caisson logs -f exe_1"));
    EXPECT_GE(time_.steady_now() - began, std::chrono::seconds(60));
}

/// Standard input of this process is a pipe while it lives.
class stdin_pipe {
public:
    stdin_pipe()
    {
        int ends[2];
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        write_.reset(ends[1]);
        before_.reset(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
        ::dup2(ends[0], STDIN_FILENO);
        ::close(ends[0]);
    }
    ~stdin_pipe()
    {
        if (before_)
            ::dup2(before_.get(), STDIN_FILENO);
    }
    stdin_pipe(const stdin_pipe&) = delete;
    stdin_pipe& operator=(const stdin_pipe&) = delete;
    void write_and_close(std::string_view text)
    {
        EXPECT_EQ(::write(write_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
        write_.reset();
    }

private:
    unique_fd write_;
    unique_fd before_;
};

class StdinForwarder : public ScriptedTest {
protected:
    void forward()
    {
        stdin_forwarder one(*api_, time_, "exe_1");
        auto work = [](stdin_forwarder& inner) -> task<bool> {
            co_await inner.run();
            co_return true;
        };
        EXPECT_TRUE(run(work(one)));
    }
    stdin_pipe input_;
};

TEST_F(StdinForwarder, SendsBytesAndTheEndWithTheirOffsets)
{
    input_.write_and_close("hello");
    server_.script = {scripted_server::answer(200, "{}"), scripted_server::answer(200, "{}")};
    forward();
    EXPECT_THAT(server_.targets, ElementsAre("POST /v1/executions/exe_1/stdin", "POST /v1/executions/exe_1/stdin"));
    EXPECT_THAT(server_.bodies, ElementsAre(R"({"offset":0,"data":"aGVsbG8=","encoding":"base64"})", R"({"offset":5,"eof":true})"));
}

TEST_F(StdinForwarder, RepeatsTheSameOffsetUntilItIsTaken)
{
    input_.write_and_close("hello");
    server_.script = {scripted_server::answer(429, R"({"error":"rate_limited","message":"full"})"), scripted_server::hang_up(),
        scripted_server::answer(503, R"({"error":"runtime_unavailable","message":"stopping"})"), scripted_server::answer(200, "{}"),
        scripted_server::answer(200, "{}")};
    forward();
    const std::string first = R"({"offset":0,"data":"aGVsbG8=","encoding":"base64"})";
    EXPECT_THAT(server_.bodies, ElementsAre(first, first, first, first, R"({"offset":5,"eof":true})"));
}

TEST_F(StdinForwarder, StopsWhenTheProgramTakesNoMore)
{
    input_.write_and_close("hello");
    server_.script = {scripted_server::answer(409, R"({"error":"conflict","message":"it has ended"})")};
    forward();
    EXPECT_EQ(server_.bodies.size(), 1u);
}

class ApiClient : public ScriptedTest { };

TEST_F(ApiClient, TellsWhatTheServerSaid)
{
    server_.script = {scripted_server::answer(429, R"({"error":"queue_full","message":"10000 wait"})"),
        scripted_server::answer(502, "<html>"), scripted_server::answer(200, "<html>"), scripted_server::answer(204, "")};
    const auto full = run(api_->get("/v1/executions"));
    ASSERT_TRUE(full.has_error());
    EXPECT_EQ(full.error().code, errc::queue_full);
    EXPECT_EQ(full.error().detail, "10000 wait");
    const auto proxy = run(api_->get("/v1/executions"));
    ASSERT_TRUE(proxy.has_error());
    EXPECT_THAT(proxy.error().detail, HasSubstr("answered 502 Bad Gateway"));
    const auto page = run(api_->get("/"));
    ASSERT_TRUE(page.has_error());
    EXPECT_THAT(page.error().detail, HasSubstr("is it a Caisson server?"));
    const auto removed = run(api_->remove("/v1/executions/exe_1"));
    ASSERT_TRUE(removed.has_value());
    EXPECT_TRUE(removed->is_null());
}

TEST_F(ApiClient, LinesAreReadAsTheyCome)
{
    server_.script = {scripted_server::pieces({"{\"a\":", "1}\n{\"b\"", ":2}\n"}, false)};
    auto opened = run(api_->open_lines("/v1/executions/exe_1/events?after=0"));
    ASSERT_TRUE(opened.has_value()) << opened.error().detail;
    std::string all;
    while (true) {
        auto bytes = run((*opened)->read());
        ASSERT_TRUE(bytes.has_value());
        if (!*bytes)
            break;
        all += **bytes;
    }
    EXPECT_EQ(all, "{\"a\":1}\n{\"b\":2}\n");
}

TEST_F(ApiClient, ACutAnswerIsNotTakenForAWholeOne)
{
    server_.script = {scripted_server::pieces({"{\"a\":1}\n"}, true)};
    auto opened = run(api_->open_lines("/v1/executions/exe_1/events?after=0"));
    ASSERT_TRUE(opened.has_value());
    bool failed = false;
    for (int i = 0; i < 3 && !failed; ++i)
        failed = run((*opened)->read()).has_error();
    EXPECT_TRUE(failed);
}

}    // namespace
}    // namespace caisson::cli
