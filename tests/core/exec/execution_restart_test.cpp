#include "tests/core/exec/service_world.hpp"
#include "tests/support/run_task.hpp"

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;
using status = execution_status;

const error broken{errc::internal, "disk is broken"};

TEST(ExecutionRestart, ARunningOneGoesOnWithExactBytes)
{
    service_world w;
    const auto id = w.run();
    w.agent().print("before ");
    w.turn();
    w.agent().print("at ");
    w.restart(500ms);
    EXPECT_EQ(w.find(id)->status, status::running);
    EXPECT_EQ(w.running(), 1u);
    w.agent().print("after");
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.stored(id), "[queued][running]1:before at after[usage][exit]");
    EXPECT_EQ(w.agent().spawns, 1u);
    EXPECT_EQ(w.row(id).duration_ms, 500);
    EXPECT_EQ(w.runtime.created(), 1u);
    EXPECT_EQ(w.runtime.live(), 0u);
    EXPECT_TRUE(w.log.errors.empty());
}

TEST(ExecutionRestart, ManyTimesOver)
{
    service_world w;
    const auto id = w.run();
    std::string all;
    for (int i = 0; i < 20; ++i) {
        const auto part = std::to_string(i) + ",";
        all += part;
        w.agent().print(part);
        if (i % 3 != 0)
            w.turn();
        i % 2 == 0 ? w.restart() : (w.kill_server(), void(w.start_server()));
    }
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.stored(id), "[queued][running]1:" + all + "[usage][exit]");
    EXPECT_EQ(w.agent().spawns, 1u);
}

TEST(ExecutionRestart, OneThatEndsMeanwhileIsFinished)
{
    service_world w;
    const auto id = w.run();
    w.hand_over();
    w.agent().print("alone");
    w.agent().exit(3);
    EXPECT_TRUE(w.start_server(1h).has_value());
    EXPECT_EQ(w.ended(id).exit_code, 3);
    EXPECT_EQ(w.stored(id), "[queued][running]1:alone[usage][exit]");
}

TEST(ExecutionRestart, OneThatMeetsItsWallLimitMeanwhile)
{
    service_world w;
    const auto id = w.run();
    w.hand_over();
    w.agent().usage.cause = protocol::exit_cause::wall_limit;
    w.agent().end_by(SIGTERM);
    EXPECT_TRUE(w.start_server(1h).has_value());
    EXPECT_EQ(w.ended(id).verdict, verdict::wall_limit);
}

TEST(ExecutionRestart, TheWallBackstopCountsFromTheFirstStart)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGTERM};
    w.advance(10s, 50ms);
    w.restart(22s);
    w.advance(900ms);
    EXPECT_TRUE(w.agent().is_running());
    w.advance(200ms);
    EXPECT_FALSE(w.agent().is_running());
    EXPECT_EQ(w.ended(id).verdict, verdict::wall_limit);
}

TEST(ExecutionRestart, QueuedOnesStayQueuedInOrder)
{
    service_world w({.max_running = 1});
    const auto first = w.run();
    const auto second = w.submit();
    const auto third = w.submit();
    w.restart(1s);
    EXPECT_EQ(w.find(second)->status, status::queued);
    EXPECT_EQ(w.running(), 1u);
    EXPECT_EQ(w.waiting(), 2u);
    w.agent(0).exit(0);
    w.ended(first);
    EXPECT_EQ(w.find(second)->status, status::running);
    EXPECT_EQ(w.find(third)->status, status::queued);
    w.agent(1).exit(0);
    w.ended(second);
    w.agent(2).exit(0);
    w.ended(third);
    for (const auto& id : {first, second, third})
        EXPECT_EQ(w.stored(id), "[queued][running][usage][exit]");
}

TEST(ExecutionRestart, ALostSandboxInterrupts)
{
    service_world w;
    const auto id = w.run();
    w.agent().print("kept");
    w.turn();
    w.hand_over();
    w.agent().die("the host rebooted");
    EXPECT_TRUE(w.start_server(1h).has_value());
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, status::interrupted);
    EXPECT_EQ(row.verdict, verdict::lost);
    EXPECT_NE(row.error.find("did not survive"), std::string::npos) << row.error;
    EXPECT_EQ(w.stored(id), "[queued][running]1:kept[usage][exit]");
    EXPECT_EQ(w.sandboxes.row(*row.sandbox).state, sandbox_state::lost);
    EXPECT_EQ(w.running(), 0u);
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST(ExecutionRestart, AnAgentThatWasNeverAskedIsAskedOnce)
{
    service_world w;
    w.runtime.gate_of(call::connect).cork();
    auto spec = w.program();
    spec.stdin_data = shared_bytes("input");
    spec.files = {{"in.txt", shared_bytes("content")}};
    const auto id = w.submit(spec);
    w.kill_server();
    w.runtime.gate_of(call::connect).uncork();
    EXPECT_TRUE(w.start_server(1s).has_value());
    EXPECT_EQ(w.find(id)->status, status::running);
    EXPECT_EQ(w.runtime.created(), 1u);
    EXPECT_EQ(w.agent().spawns, 1u);
    EXPECT_EQ(w.agent().files.at("in.txt"), "content");
    EXPECT_EQ(w.agent().stdin_text(), "input");
    EXPECT_TRUE(w.agent().stdin_ended());
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.stored(id), "[queued][running][usage][exit]");
}

TEST(ExecutionRestart, AnEndThatIsInTheLogIsWrittenToTheRecord)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    w.agent().print("done", protocol::stream_number::stderr_stream);
    w.executions.fail_next(broken);
    w.agent().exit(5);
    w.turn();
    ASSERT_EQ(w.stored(id), "[queued][running]2:done[usage][exit]");
    ASSERT_FALSE(w.has_ended(id));
    const auto ended_at = w.time().now_ms();
    w.kill_server();
    w.executions.let_pass(3);    // start() reads what is kept, and what is unfinished
    w.executions.fail_next(broken);
    EXPECT_TRUE(w.start_server(1h).has_value());
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, status::failed);
    EXPECT_EQ(row.exit_code, 5);
    EXPECT_EQ(row.finished_at_ms, ended_at);
    EXPECT_EQ(row.usage.output_bytes, 4);
    EXPECT_EQ(w.stored(id), "[queued][running]2:done[usage][exit]");
    EXPECT_EQ(w.runtime.live(), 0u);
    EXPECT_EQ(w.sandboxes.row(*row.sandbox).state, sandbox_state::destroyed);
    EXPECT_EQ(w.running(), 0u);
}

TEST(ExecutionRestart, ACancelIsNotForgotten)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGTERM};
    EXPECT_TRUE(w.cancel(id).has_value());
    w.restart();
    EXPECT_EQ(w.agent().signals.size(), 2u);
    w.advance(1100ms);
    EXPECT_EQ(w.ended(id).status, status::cancelled);
    EXPECT_EQ(w.agent().spawns, 1u);
}

TEST(ExecutionRestart, ACancelledOneIsNotStartedAnyMore)
{
    service_world w;
    w.runtime.gate_of(call::connect).cork();
    const auto id = w.submit();
    EXPECT_TRUE(w.cancel(id).has_value());
    w.kill_server();
    w.runtime.gate_of(call::connect).uncork();
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.ended(id).status, status::cancelled);
    EXPECT_EQ(w.agent().spawns, 0u);
    EXPECT_EQ(w.runtime.live(), 0u);
}

service_world::options small_logs()
{
    service_world::options small;
    small.logs.tail_bytes = 4;
    return small;
}

execution_spec ten_bytes()
{
    auto spec = service_world::program();
    spec.limits.max_output_bytes = 10;
    return spec;
}

TEST(ExecutionRestart, ACutLogGetsItsTail)
{
    service_world w(small_logs());
    const auto quiet = w.run(ten_bytes());
    const auto busy = w.run(ten_bytes());
    w.agent(0).print("0123456789abcdefgh");
    w.agent(1).print("0123456789abcdefgh");
    w.turn();
    w.restart();
    w.agent(1).print("ijkl");
    w.agent(0).exit(0);
    w.agent(1).exit(0);
    w.ended(quiet);
    w.ended(busy);
    EXPECT_EQ(w.stored(quiet), "[queued][running]1:0123456789<1:4 missing>1:efgh[usage][exit]");
    EXPECT_EQ(w.stored(busy), "[queued][running]1:0123456789<1:8 missing>1:ijkl[usage][exit]");
    for (const auto& id : {quiet, busy}) {
        EXPECT_TRUE(w.row(id).stdout_truncated);
        EXPECT_EQ(w.row(id).limits_hit, std::vector<limit_kind>{limit_kind::output});
    }
    EXPECT_EQ(w.row(busy).usage.output_bytes, 22);
}

TEST(ExecutionRestart, AnOutputLimitThatKillsHoldsAfterwards)
{
    service_world w(small_logs());
    auto spec = ten_bytes();
    spec.output_limit_action = on_output_limit::kill;
    const auto id = w.run(spec);
    w.hand_over();
    w.agent().print("0123456789abcdefgh");
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.ended(id).verdict, verdict::output_limit);
    EXPECT_EQ(w.agent().signals.front().number, unsigned{SIGKILL});
}

TEST(ExecutionRestart, WhatWasTakenUpFillsThePlaces)
{
    service_world w({.max_running = 2, .max_queued = 1});
    const auto first = w.run();
    w.run();
    w.restart();
    const auto third = w.submit();
    EXPECT_EQ(w.find(third)->status, status::queued);
    EXPECT_EQ(w.try_submit().error().code, errc::queue_full);
    w.agent(0).exit(0);
    w.ended(first);
    EXPECT_EQ(w.find(third)->status, status::running);
}

TEST(ExecutionRestart, ACutIsInTheRecordThatIsFinishedFromTheLog)
{
    service_world w(small_logs());
    const auto id = w.run(ten_bytes());
    w.agent().print("0123456789abcdefgh");
    w.executions.fail_next(broken);
    w.agent().exit(0);
    w.turn();
    w.kill_server();
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.row(id).status, status::success);
    EXPECT_TRUE(w.row(id).stdout_truncated);
    EXPECT_FALSE(w.row(id).stderr_truncated);
}

TEST(ExecutionRestart, BytesThatNobodyHasAreSaid)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    w.agent().print("gone!");
    w.turn();
    w.hand_over();
    asio::io_context own;
    EXPECT_TRUE(testing::run_task(own, w.events.erase(id)).has_value());
    EXPECT_TRUE(w.start_server().has_value());
    w.agent().print("rest");
    w.agent().exit(0);
    w.ended(id);
    EXPECT_NE(w.stored(id).find("<1:5 missing>"), std::string::npos) << w.stored(id);
    EXPECT_NE(w.stored(id).find("1:rest"), std::string::npos) << w.stored(id);
    EXPECT_TRUE(w.row(id).stdout_truncated);
}

TEST(ExecutionRestart, StdinGoesOnWhereTheAgentIs)
{
    service_world w;
    auto spec = w.program();
    spec.stdin_data = shared_bytes("ab");
    spec.stdin_open = true;
    const auto id = w.run(spec);
    const auto write = [&](std::string data, std::optional<std::uint64_t> offset) {
        return w.begin(w.service().write_stdin(w.tenant, id, {std::move(data), offset, false}, w.time().steady_now() + 1s));
    };
    EXPECT_EQ(write("cd", {})->value->value(), 4u);
    w.hand_over();
    w.runtime.gate_of(call::connect).cork();
    EXPECT_TRUE(w.start_server().has_value());
    const auto early = write("ef", {});    // before the agent was heard
    EXPECT_FALSE(early->done());
    w.runtime.gate_of(call::connect).uncork();
    w.turn();
    EXPECT_EQ(early->value->value(), 6u);
    EXPECT_EQ(write("efgh", 4)->value->value(), 8u);
    EXPECT_EQ(w.agent().stdin_text(), "abcdefgh");
}

TEST(ExecutionRestart, ASilentAgentRefusesStdinAtTheDeadline)
{
    service_world w;
    auto spec = w.program();
    spec.stdin_open = true;
    const auto id = w.run(spec);
    w.hand_over();
    w.runtime.gate_of(call::connect).cork();
    EXPECT_TRUE(w.start_server().has_value());
    const auto writer = w.begin(w.service().write_stdin(w.tenant, id, {"x", {}, false}, w.time().steady_now() + 1s));
    w.advance(1s);
    ASSERT_TRUE(writer->done());
    EXPECT_EQ(writer->value->error().code, errc::runtime_unavailable);
}

}    // namespace
}    // namespace caisson
