#include "tests/core/exec/service_world.hpp"

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;
using status = execution_status;
using target = protocol::agent_link::target;

const error exhausted{errc::runtime_unavailable, "no descriptors are left"};

/// A running execution whose next server meets `fault` before it can re-attach.
struct fault_case {
    std::string_view name;
    void (*plan)(service_world&);
};
void PrintTo(const fault_case& c, std::ostream* out) { *out << c.name; }

class TransientFault : public ::testing::TestWithParam<fault_case> { };

TEST_P(TransientFault, DoesNotLoseTheExecution)
{
    service_world w;
    const auto id = w.run();
    w.agent().print("before ");
    w.hand_over();
    GetParam().plan(w);
    EXPECT_TRUE(w.start_server().has_value());
    w.advance(5s);
    EXPECT_EQ(w.find(id)->status, status::running);
    w.agent().print("after");
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.stored(id), "[queued][running]1:before after[usage][exit]");
    EXPECT_EQ(w.agent().spawns, 1u);
}

INSTANTIATE_TEST_SUITE_P(Cases, TransientFault,
    ::testing::Values(fault_case{"recover_throws", [](service_world& w) { w.runtime.throw_next(call::recover, "cannot read /proc"); }},
        fault_case{"recover_fails", [](service_world& w) { w.runtime.fail_next(call::recover, exhausted); }},
        fault_case{"group_fails", [](service_world& w) { w.runtime.fail_next(call::open_group, exhausted); }},
        fault_case{"connect_fails", [](service_world& w) { w.runtime.fail_next(call::connect, exhausted); }},
        fault_case{"connect_throws", [](service_world& w) { w.runtime.throw_next(call::connect, "no memory"); }},
        fault_case{"log_cannot_be_read", [](service_world& w) { w.events.fail_next({errc::internal, "disk is broken"}); }},
        fault_case{"log_read_throws", [](service_world& w) { w.events.throw_next("disk is broken"); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ExecutionReattach, AConnectionThatCannotBeMadeInTheMiddleIsTriedAgain)
{
    service_world w;
    const auto id = w.run();
    for (int i = 0; i < 3; ++i)
        w.runtime.fail_next(call::connect, exhausted);
    w.agent().disconnect();
    w.agent().print("meanwhile");
    w.advance(5s);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.stored(id), "[queued][running]1:meanwhile[usage][exit]");
}

TEST(ExecutionReattach, WhatCannotBeReachedIsGivenUpAfterItsWallLimit)
{
    service_world w;
    const auto id = w.run();
    w.hand_over();
    for (int i = 0; i < 1000; ++i)
        w.runtime.fail_next(call::recover, exhausted);
    EXPECT_TRUE(w.start_server().has_value());
    w.advance(62s, 100ms);
    EXPECT_EQ(w.find(id)->status, status::running);
    w.advance(3s, 100ms);
    EXPECT_EQ(w.row(id).status, status::interrupted);
    EXPECT_NE(w.row(id).error.find("no descriptors are left"), std::string::npos) << w.row(id).error;
    EXPECT_EQ(w.running(), 0u);
}

TEST(ExecutionReattach, ACancelIsHeededWhileItCannotBeReached)
{
    service_world w;
    const auto id = w.run();
    w.hand_over();
    for (int i = 0; i < 1000; ++i)
        w.runtime.fail_next(call::recover, exhausted);
    EXPECT_TRUE(w.start_server().has_value());
    w.advance(1s);
    EXPECT_TRUE(w.cancel(id).has_value());
    w.advance(12s, 50ms);
    EXPECT_EQ(w.row(id).status, status::cancelled);
}

TEST(ExecutionReattach, ASilentAgentIsWatchedFromOutside)
{
    service_world w;
    const auto id = w.run();
    w.hand_over();
    w.agent().mute();
    w.box().usage.cpu_us = 15'000'000;
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_FALSE(w.agent().is_running()) << "its CPU time was over at the first look";
    w.agent().unmute();
    EXPECT_EQ(w.ended(id).verdict, verdict::cpu_limit);
}

TEST(ExecutionReattach, ASilentAgentIsNotWaitedForForEver)
{
    service_world w;
    const auto id = w.run();
    w.hand_over();
    w.agent().mute();
    EXPECT_TRUE(w.start_server().has_value());
    w.advance(62s, 100ms);
    EXPECT_FALSE(w.has_ended(id));
    w.advance(3s, 100ms);
    EXPECT_EQ(w.row(id).status, status::interrupted);
    EXPECT_NE(w.row(id).error.find("did not say how the program stands"), std::string::npos) << w.row(id).error;
    EXPECT_FALSE(w.agent().is_running());
}

TEST(ExecutionReattach, AStepOfTheWallClockEndsNothing)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGTERM};
    w.hand_over();
    EXPECT_TRUE(w.start_server().has_value());
    w.time().set_wall_clock(48h);
    w.restart();
    w.advance(32s, 100ms);
    EXPECT_TRUE(w.agent().is_running());
    w.advance(2s, 100ms);
    EXPECT_EQ(w.ended(id).verdict, verdict::wall_limit);
}

TEST(ExecutionReattach, WhatTheServerEndedAtTheWallLimitIsThatAfterARestart)
{
    service_world w;
    const auto id = w.run();
    w.hand_over();
    w.agent().usage.wall_us = 33'000'000;
    w.agent().end_by(SIGKILL);
    EXPECT_TRUE(w.start_server(1min).has_value());
    EXPECT_EQ(w.ended(id).verdict, verdict::wall_limit);
}

TEST(ExecutionReattach, AnEndOfStdinIsRemembered)
{
    service_world w;
    auto spec = w.program();
    spec.stdin_open = true;
    const auto id = w.run(spec);
    const auto write = [&](std::string data, bool eof) {
        return w.begin(w.service().write_stdin(w.tenant, id, {std::move(data), {}, eof}, w.time().steady_now() + 1s));
    };
    EXPECT_EQ(write("ab", true)->value->value(), 2u);
    w.restart();
    EXPECT_EQ(write("cd", false)->value->error().code, errc::conflict);
    EXPECT_EQ(write("", true)->value->value(), 2u);
    EXPECT_EQ(w.agent().stdin_text(), "ab");
    EXPECT_TRUE(w.agent().stdin_ended());
}

TEST(ExecutionReattach, AnEndOfStdinThatIsNotTakenIsNotConfirmed)
{
    service_world w;
    auto spec = w.program();
    spec.stdin_open = true;
    const auto id = w.run(spec);
    w.agent().mute();
    const auto writer = w.begin(w.service().write_stdin(w.tenant, id, {"", {}, true}, w.time().steady_now() + 1s));
    EXPECT_FALSE(writer->done());
    w.advance(1s);
    ASSERT_TRUE(writer->done());
    EXPECT_EQ(writer->value->error().code, errc::runtime_unavailable);
}

TEST(ExecutionReattach, ASignalOutlivesItsConnection)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGUSR1};
    w.agent().mute();    // it hears the signal, and its answer is lost
    EXPECT_TRUE(w.get(w.service().signal(w.tenant, id, SIGUSR1, target::leader)).has_value());
    w.turn();
    w.agent().disconnect();
    w.agent().unmute();
    w.advance(1s);
    EXPECT_EQ(w.agent().signals.size(), 1u) << "once";
    w.runtime.gate_of(call::connect).cork();
    w.agent().disconnect();
    w.turn();
    EXPECT_TRUE(w.get(w.service().signal(w.tenant, id, SIGUSR1, target::leader)).has_value());
    EXPECT_EQ(w.agent().signals.size(), 1u);
    w.runtime.gate_of(call::connect).uncork();
    w.advance(1s);
    EXPECT_EQ(w.agent().signals.size(), 2u);
    w.restart();
    EXPECT_TRUE(w.get(w.service().signal(w.tenant, id, SIGUSR1, target::leader)).has_value());
    w.turn();
    EXPECT_EQ(w.agent().signals.size(), 3u) << "the numbers go on over servers";
}

TEST(ExecutionReattach, TooManySignalsAreRefused)
{
    service_world w;
    const auto id = w.run();
    w.runtime.gate_of(call::connect).cork();
    w.agent().disconnect();
    w.turn();
    for (int i = 0; i < 64; ++i)
        EXPECT_TRUE(w.get(w.service().signal(w.tenant, id, SIGUSR1, target::leader)).has_value());
    EXPECT_EQ(w.get(w.service().signal(w.tenant, id, SIGUSR1, target::leader)).error().code, errc::rate_limited);
}

TEST(ExecutionReattach, AnOutputLimitThatKillsIsTheVerdictWhenTheEndIsHeardFirst)
{
    service_world w;
    auto spec = w.program();
    spec.limits.max_output_bytes = 10;
    spec.output_limit_action = on_output_limit::kill;
    const auto id = w.run(spec);
    w.hand_over();
    w.agent().print("0123456789abcdef");
    w.agent().exit(0);
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.ended(id).verdict, verdict::output_limit);
}

TEST(ExecutionReattach, BytesThatWaitForTheDiskAreNotDropped)
{
    service_world w;
    const auto id = w.run();
    const std::string much(3 << 20, 'x');    // more than the agent's window
    w.events.cork();
    w.agent().print(much);
    w.agent().exit(0);
    w.advance(20s, 500ms);
    EXPECT_FALSE(w.has_ended(id));
    w.events.uncork();
    w.ended(id);
    EXPECT_EQ(w.stored(id), "[queued][running]1:" + much + "[usage][exit]");
}

TEST(ExecutionReattach, AStreamIsHeardOutAsLongAsBytesCome)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGKILL};
    w.agent().exit_leaving_a_child(0);
    std::string all;
    for (int i = 0; i < 8; ++i, all += "x") {
        w.advance(6s, 100ms);
        w.agent().print("x");
        w.turn();
    }
    EXPECT_FALSE(w.has_ended(id));
    w.agent().end_stream(protocol::stream_number::stdout_stream);
    w.agent().end_stream(protocol::stream_number::stderr_stream);
    w.ended(id);
    EXPECT_EQ(w.stored(id), "[queued][running]1:" + all + "[usage][exit]");
}

TEST(ExecutionReattach, ALogThatContradictsItselfEndsTheExecution)
{
    service_world w;
    const auto id = w.run();
    w.events.fail_next({errc::conflict, "another event ends at 3"});
    w.agent().print("x");
    w.advance(1s);
    EXPECT_EQ(w.row(id).status, status::interrupted);
    EXPECT_NE(w.row(id).error.find("another event"), std::string::npos) << w.row(id).error;
    EXPECT_FALSE(w.agent().is_running());
}

TEST(ExecutionReattach, AWriteThatNeverEndsDoesNotHoldUpTheStop)
{
    service_world w;
    w.run();
    w.events.cork();
    w.agent().print("x");
    w.turn();
    const auto over = w.begin(w.service().hand_over(w.time().steady_now() + 10s));
    EXPECT_TRUE(w.advance_until([&] { return over->done(); }));
    ASSERT_TRUE(over->value.has_value());
    EXPECT_EQ(over->value->error().code, errc::timed_out);
    w.events.uncork();    // for the destructors: here the process does not end
    w.turn();
}

TEST(ExecutionReattach, WhatAnEarlierServerSaidIsMissingIsInTheRecord)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    w.agent().print("gone!");
    w.turn();
    w.hand_over();
    w.events.forget(id);
    EXPECT_TRUE(w.start_server().has_value());    // the gap is stored
    w.restart();
    w.agent().exit(0);
    EXPECT_TRUE(w.ended(id).stdout_truncated);
}

}    // namespace
}    // namespace caisson
