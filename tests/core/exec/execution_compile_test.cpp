// Code that is compiled: the compiler is a program of its own before the program, and what came of it is in the record.

#include "tests/core/exec/service_world.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using call = testing::fake_runtime::call;
using status = execution_status;
using stream = testing::fake_compiler::stream;

execution_spec compiled()
{
    auto spec = service_world::program();
    spec.kind = execution_kind::code;
    spec.language = "c";
    spec.argv = {".caisson/main"};
    spec.files = {{"main.c", shared_bytes("int main;")}};
    auto& step = spec.compile.emplace();
    step.argv = {"gcc", "main.c"};
    step.env = {{"CACHE", "{work}/.caisson/cache"}, {"MODE", "strict"}};
    step.files = {{".caisson/host.h", shared_bytes("extra")}};
    step.limits = {10'000, 8'000, 64 << 20};
    return spec;
}

class ExecutionCompile : public ::testing::Test {
protected:
    /// The compiler runs.
    execution_id submit(execution_spec spec = compiled())
    {
        const auto id = w.submit(std::move(spec));
        EXPECT_TRUE(w.advance_until([&] { return w.runtime.created() > 0 && w.agent().compiler.is_running(); }));
        return id;
    }
    void compiler_exits(int code)
    {
        w.agent().compiler.exit(code);
        w.agent().turn();
        w.advance(100ms);
    }
    testing::fake_compiler& compiler() { return w.agent().compiler; }
    const compile_report& report(const execution_id& id) { return w.row(id).compile.value(); }

    service_world w;
};

TEST_F(ExecutionCompile, StartsInItsDirectory)
{
    auto spec = compiled();
    spec.compile->directory = "a/b";
    submit(std::move(spec));
    const auto& request = compiler().requests.front();
    EXPECT_EQ(request.cwd, "/workspace/a/b");
    EXPECT_THAT(request.env, ::testing::Contains(Pair("CACHE", "/workspace/.caisson/cache")));
}

TEST_F(ExecutionCompile, RunsBeforeTheProgramWithWhatIsItsOwn)
{
    auto spec = compiled();
    spec.env = {{"MODE", "loose"}};
    spec.pty = pty_size{};
    submit(std::move(spec));
    ASSERT_EQ(compiler().requests.size(), 1u);
    const auto& request = compiler().requests.front();
    EXPECT_THAT(request.argv, ElementsAre("gcc", "main.c"));
    EXPECT_EQ(request.cwd, "/workspace");
    EXPECT_EQ(request.wall_ms, 10'000u);
    EXPECT_FALSE(request.pty);
    EXPECT_FALSE(request.stdin_open);
    EXPECT_THAT(request.env, ::testing::Contains(Pair("CACHE", "/workspace/.caisson/cache")));
    EXPECT_THAT(request.env, ::testing::Contains(Pair("MODE", "loose"))) << "the request's variables win";
    EXPECT_EQ(w.box().limits.at(first_compiler_group).memory_bytes, 64 << 20);
    EXPECT_THAT(w.agent().files, ElementsAre(Pair(".caisson", ""), Pair(".caisson/host.h", "extra"), Pair("main.c", "int main;")));
    EXPECT_FALSE(w.agent().is_running()) << "the program waits for it";
}

TEST_F(ExecutionCompile, ThatEndsWellIsFollowedByTheProgram)
{
    const auto id = submit();
    EXPECT_EQ(w.find(id)->waits_for, "its code is compiled");
    compiler().print("main.c: warning\n");
    compiler().usage.wall_us = 1'200'000;
    w.box().compiler_usage.cpu_us = 900'000;
    compiler_exits(0);
    ASSERT_TRUE(w.agent().is_running());
    EXPECT_THAT(w.agent().request->argv, ElementsAre(".caisson/main"));
    EXPECT_EQ(w.find(id)->waits_for, "");
    EXPECT_EQ(report(id).status, status::success) << "recorded before the program starts";
    w.agent().print("hello");
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(report(id).output, "main.c: warning\n");
    EXPECT_EQ(report(id).exit_code, 0);
    EXPECT_EQ(report(id).wall_ms, 1'200);
    EXPECT_EQ(report(id).cpu_ms, 900);
    EXPECT_FALSE(report(id).cached);
    EXPECT_EQ(w.stored(id), "[queued][running]1:hello[usage][exit]") << "what the compiler writes is no output of the program";
}

TEST_F(ExecutionCompile, ThatFailsIsTheEnd)
{
    const auto id = submit();
    compiler().print("main.c:1: error: ü\n");
    compiler_exits(1);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, status::failed);
    EXPECT_EQ(row.verdict, verdict::exited);
    EXPECT_EQ(row.exit_code, 1);
    EXPECT_EQ(row.error, "the compilation failed: the compiler exited with code 1");
    EXPECT_EQ(report(id).status, status::failed);
    EXPECT_EQ(report(id).output, "main.c:1: error: ü\n");
    EXPECT_FALSE(w.agent().request) << "there is no program";
    EXPECT_EQ(w.stored(id), "[queued][usage][exit]");
    EXPECT_EQ(w.running(), 0u);
}

TEST_F(ExecutionCompile, ThatFailsIsNotTriedAgain)
{
    auto spec = compiled();
    spec.idempotent = true;
    spec.retry.attempts = 3;
    spec.retry.exit_codes = {1};
    spec.retry.faults = {attempt_fault::program, attempt_fault::limit};
    const auto id = submit(std::move(spec));
    compiler_exits(1);
    EXPECT_EQ(w.ended(id).attempts.size(), 1u);
}

TEST_F(ExecutionCompile, ThatASignalEnds)
{
    const auto id = submit();
    compiler().end(SIGSEGV);
    w.agent().turn();
    EXPECT_EQ(w.ended(id).verdict, verdict::signaled);
    EXPECT_EQ(w.row(id).error, "the compilation failed: the compiler was ended by signal 11 (Segmentation fault)");
}

TEST_F(ExecutionCompile, ThatCannotBeStarted)
{
    w.runtime.prepare = [](testing::fake_box& box) { box.agent->compiler.start_code = ENOENT; };
    const auto id = w.submit(compiled());
    EXPECT_EQ(w.ended(id).verdict, verdict::runtime_error);
    EXPECT_THAT(w.row(id).error, HasSubstr("the compiler could not be started: \"gcc\": No such file or directory"));
}

TEST_F(ExecutionCompile, WhoseGroupCannotBeMade)
{
    w.runtime.let_pass(call::open_group);
    w.runtime.fail_next(call::open_group, {errc::runtime_unavailable, "the host is full"});
    const auto id = w.submit(compiled());
    EXPECT_EQ(w.ended(id).verdict, verdict::runtime_error);
    EXPECT_EQ(w.row(id).error, "the compiler could not be started: the host is full");
}

TEST_F(ExecutionCompile, ThatTakesTooLong)
{
    const auto id = submit();
    compiler().end(SIGKILL, protocol::exit_cause::wall_limit);
    w.agent().turn();
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, status::timeout);
    EXPECT_EQ(row.verdict, verdict::wall_limit);
    EXPECT_EQ(row.error, "the compilation took longer than compile.wall_ms (10000 ms)");
    EXPECT_EQ(report(id).status, status::timeout);
}

TEST_F(ExecutionCompile, ThatTakesTooLongIsEndedByTheServerIfTheAgentDoesNot)
{
    const auto id = submit();
    w.advance(12s);
    EXPECT_TRUE(compiler().is_running());
    w.advance(2s);
    EXPECT_EQ(w.ended(id).verdict, verdict::wall_limit);
}

TEST_F(ExecutionCompile, ThatUsesTooMuchCpuTime)
{
    const auto id = submit();
    w.box().compiler_usage.cpu_us = 8'000'000;
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, status::timeout);
    EXPECT_EQ(row.verdict, verdict::cpu_limit);
    EXPECT_EQ(row.error, "the compilation used more CPU time than compile.cpu_ms (8000 ms)");
}

TEST_F(ExecutionCompile, ThatNeedsTooMuchMemory)
{
    const auto id = submit();
    w.box().compiler_usage.oom_kills = 1;
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, status::failed);
    EXPECT_EQ(row.verdict, verdict::memory_limit);
    EXPECT_THAT(row.limits_hit, ElementsAre(limit_kind::memory));
    EXPECT_EQ(row.error, "the compilation needed more memory than compile.memory_bytes (67108864 bytes)");
}

TEST_F(ExecutionCompile, ThatLeavesTooMuchInNetlinkSockets)
{
    const auto id = submit();
    w.box().uncounted_bytes = most_uncounted_bytes;
    const auto& row = w.ended(id);
    EXPECT_EQ(row.verdict, verdict::memory_limit);
    EXPECT_EQ(row.error, "the compilation failed: the compiler had too many sockets, messages unread in them, or record locks");
}

TEST_F(ExecutionCompile, OfWhichAPartIsKilledForMemory)
{
    const auto id = submit();
    w.box().compiler_usage.oom_kills = 1;
    compiler_exits(1);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.verdict, verdict::memory_limit);
    EXPECT_FALSE(row.exit_code);
    EXPECT_THAT(row.limits_hit, ElementsAre(limit_kind::memory));
}

TEST_F(ExecutionCompile, OutputBeyondItsHeadIsTakenAndDropped)
{
    const auto id = submit();
    compiler().print("ä" + std::string(100'000, 'e'));
    compiler().print(std::string(3'000'000, 'o'), stream::stdout_stream);
    compiler_exits(1);
    EXPECT_EQ(w.ended(id).verdict, verdict::exited);
    EXPECT_LE(report(id).output.size(), 64u << 10);
    EXPECT_GT(report(id).output.size(), 60u << 10);
    EXPECT_TRUE(report(id).output_truncated);
}

TEST_F(ExecutionCompile, ACancelEndsIt)
{
    const auto id = submit();
    EXPECT_TRUE(w.cancel(id).has_value());
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, status::cancelled);
    EXPECT_EQ(row.verdict, verdict::cancelled);
    EXPECT_EQ(report(id).status, status::cancelled);
    EXPECT_FALSE(w.agent().request);
}

TEST_F(ExecutionCompile, OneThatCannotBeKilledIsGivenUp)
{
    const auto id = submit();
    compiler().ignores_kill = true;
    EXPECT_TRUE(w.cancel(id).has_value());
    w.advance(11s);
    EXPECT_EQ(w.ended(id).status, status::cancelled);
}

TEST_F(ExecutionCompile, AnAgentThatIsLostWithItIsTriedAgain)
{
    auto spec = compiled();
    spec.retry.attempts = 2;
    const auto id = submit(std::move(spec));
    w.agent().die("killed");
    EXPECT_TRUE(w.advance_until([&] { return w.runtime.created() == 2 && w.agent(1).compiler.is_running(); }));
    EXPECT_THAT(w.agent(1).files, ::testing::SizeIs(3)) << "the files come from the record again";
    w.agent(1).compiler.exit(0);
    w.agent(1).turn();
    EXPECT_TRUE(w.advance_until([&] { return w.agent(1).is_running(); }));
    w.agent(1).exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.row(id).attempts.front().fault, attempt_fault::agent_unreachable);
    EXPECT_EQ(w.row(id).attempts.front().error, "the code could not be compiled: the sandbox ended: killed");
}

TEST_F(ExecutionCompile, StdinThatIsGivenMeanwhileReachesTheProgram)
{
    auto spec = compiled();
    spec.stdin_data = shared_bytes("first ");
    spec.stdin_open = true;
    const auto id = submit(std::move(spec));
    auto writing =
        w.begin(w.service().write_stdin(w.tenant, id, {.data = "second", .offset = std::nullopt, .eof = true}, steady_time::max()));
    compiler_exits(0);
    w.advance(100ms);
    EXPECT_EQ(w.agent().stdin_text(), "first second");
    EXPECT_TRUE(w.agent().stdin_ended());
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
}

/// A server that ends while it is compiled.
struct end_case {
    std::string_view name;
    void (*end)(service_world&);
};
void PrintTo(const end_case& c, std::ostream* out) { *out << c.name; }
class ServerEndsWhileCompiling : public ExecutionCompile, public ::testing::WithParamInterface<end_case> { };

TEST_P(ServerEndsWhileCompiling, TheNextOneEndsTheCompilerAndCompilesAnew)
{
    const auto id = submit();
    compiler().print("half");
    GetParam().end(w);
    ASSERT_TRUE(w.start_server(1s).has_value());
    ASSERT_TRUE(w.advance_until([&] { return compiler().requests.size() == 2; }));
    EXPECT_EQ(compiler().kills, 1u);
    EXPECT_EQ(w.runtime.created(), 1u) << "in the same sandbox";
    EXPECT_THAT(w.agent().files, ::testing::SizeIs(3));
    compiler().print("whole");
    compiler_exits(0);
    w.advance(100ms);
    ASSERT_TRUE(w.agent().is_running());
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(report(id).output, "whole");
    EXPECT_EQ(w.stored(id), "[queued][running][usage][exit]");
}

TEST_P(ServerEndsWhileCompiling, OneThatEndedMeanwhileIsDoneAgain)
{
    const auto id = submit();
    GetParam().end(w);
    w.agent().compiler.exit(0);
    w.agent().turn();
    ASSERT_TRUE(w.start_server(1s).has_value());
    ASSERT_TRUE(w.advance_until([&] { return compiler().requests.size() == 2; }));
    compiler_exits(1);
    EXPECT_EQ(w.ended(id).error, "the compilation failed: the compiler exited with code 1");
}

TEST_P(ServerEndsWhileCompiling, TwiceIsNotTooOften)
{
    const auto id = submit();
    for (std::size_t round = 2; round < 4; ++round) {
        GetParam().end(w);
        ASSERT_TRUE(w.start_server(1s).has_value());
        ASSERT_TRUE(w.advance_until([&] { return compiler().requests.size() == round; }));
    }
    compiler_exits(0);
    w.advance(100ms);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
}

TEST_P(ServerEndsWhileCompiling, ACancelMeanwhileIsHeeded)
{
    const auto id = submit();
    EXPECT_TRUE(w.get(w.executions.request_cancel(w.tenant, id)).has_value());
    GetParam().end(w);
    ASSERT_TRUE(w.start_server(1s).has_value());
    EXPECT_EQ(w.ended(id).status, status::cancelled);
    EXPECT_FALSE(w.agent().request);
}

INSTANTIATE_TEST_SUITE_P(Ends, ServerEndsWhileCompiling,
    ::testing::Values(
        end_case{"killed", [](service_world& w) { w.kill_server(); }}, end_case{"handed_over", [](service_world& w) { w.hand_over(); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(ExecutionCompile, WhatItUsedOfASharedGroupIsNotTheProgramsAlsoAfterARestart)
{
    const auto id = submit();
    w.box().usage.cpu_us = 12'000'000;    // one group for all of the sandbox
    compiler_exits(0);
    ASSERT_TRUE(w.agent().is_running());
    w.box().usage.cpu_us = 14'000'000;
    w.advance(1s);
    w.restart();
    w.advance(1s);
    ASSERT_TRUE(w.agent().is_running()) << "it used 2 s of 15";
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).usage.cpu_ms, 2'000);
}

}    // namespace
}    // namespace caisson
