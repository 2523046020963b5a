#include "tests/core/exec/service_world.hpp"

#include <cerrno>
#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using limits = std::vector<limit_kind>;
using stream = protocol::stream_number;
using call = testing::fake_runtime::call;

TEST(ExecutionEnd, OutputAndRecordAreExact)
{
    service_world w;
    const auto id = w.run();
    w.agent().print("hello ");
    w.agent().print("world");
    w.turn();
    w.agent().print("oops", stream::stderr_stream);
    w.advance(120ms);
    w.agent().usage.user_us = 2'000;
    w.agent().usage.system_us = 1'400;
    w.agent().usage.wall_us = 120'000;
    w.agent().usage.max_rss_bytes = 4096;
    w.agent().exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(w.stored(id), "[queued][running]1:hello world2:oops[usage][exit]");
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.verdict, verdict::exited);
    EXPECT_EQ(row.exit_code, 0);
    EXPECT_FALSE(row.signal);
    EXPECT_EQ(row.error, "");
    EXPECT_EQ(row.usage.output_bytes, 15);
    EXPECT_EQ(row.usage.cpu_ms, 3);
    EXPECT_EQ(row.usage.wall_ms, 120);
    EXPECT_EQ(row.usage.memory_peak_bytes, 4096);
    EXPECT_EQ(row.stages.run_ms, 120.0);
    EXPECT_EQ(row.duration_ms, 120);
    EXPECT_EQ(*row.finished_at_ms - *row.started_at_ms, 120);
    EXPECT_FALSE(row.stdout_truncated || row.stderr_truncated);
}

TEST(ExecutionEnd, NothingIsLeft)
{
    service_world w;
    const auto id = w.run();
    const auto sandbox = *w.row(id).sandbox;
    EXPECT_EQ(w.sandboxes.row(sandbox).state, sandbox_state::running);
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.runtime.live(), 0u);
    EXPECT_EQ(w.running(), 0u);
    EXPECT_EQ(w.sandboxes.row(sandbox).state, sandbox_state::destroyed);
    EXPECT_FALSE(w.executions.has_spec(id));
    EXPECT_TRUE(w.log.errors.empty());
}

TEST(ExecutionEnd, AFailureOfTheServerIsItsCause)
{
    service_world w;
    const auto id = w.run();
    w.agent().print("said before");
    w.turn();
    w.box().usage_throws = 1;
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::failed);
    EXPECT_EQ(row.verdict, verdict::runtime_error);
    EXPECT_EQ(row.error, "the server failed; its log says why");
    EXPECT_EQ(w.stored(id), "[queued][running]1:said before[usage][exit]");
    EXPECT_EQ(w.runtime.live(), 0u);
    EXPECT_EQ(w.running(), 0u);
}

TEST(ExecutionEnd, WhatCannotBeConcludedIsLeftToTheNextServer)
{
    service_world w;
    const auto id = w.run();
    w.box().usage_throws = 1'000;
    EXPECT_TRUE(w.advance_until([&] { return w.runtime.live() == 0 && w.running() == 0; }));
    EXPECT_FALSE(w.has_ended(id));
    w.restart();
    EXPECT_EQ(w.ended(id).status, execution_status::interrupted);
}

TEST(ExecutionEnd, ThePlaceIsTakenUntilTheSandboxIsGone)
{
    service_world w;
    w.runtime.gate_of(call::destroy).cork();
    const auto id = w.run();
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.agent().forgets, 1u);
    EXPECT_EQ(w.agent().shutdowns, 1u);
    EXPECT_EQ(w.running(), 1u);
    EXPECT_EQ(w.runtime.live(), 1u);
    w.runtime.gate_of(call::destroy).uncork();
    w.turn();
    EXPECT_EQ(w.running(), 0u);
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST(ExecutionEnd, ASandboxThatCannotBeRemovedGivesItsPlaceBack)
{
    service_world w;
    w.runtime.gate_of(call::destroy).cork();
    const auto id = w.run();
    w.agent().exit(0);
    w.ended(id);
    w.advance(29s, 1s);
    EXPECT_EQ(w.running(), 1u);
    w.advance(2s, 1s);
    EXPECT_EQ(w.running(), 0u);
    EXPECT_EQ(w.sandboxes.row(*w.row(id).sandbox).state, sandbox_state::running);    // the next sweep knows it
}

TEST(ExecutionEnd, ASandboxThatCouldNotBeRemovedIsTriedAgainInASecond)
{
    service_world w({.sweep_interval = 60s});
    const auto id = w.run();
    w.runtime.fail_next(call::destroy, {errc::runtime_unavailable, "the engine did not hear of its end"});
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.runtime.live(), 1u);
    w.advance(1s);
    EXPECT_EQ(w.runtime.live(), 0u);
    EXPECT_EQ(w.sandboxes.row(*w.row(id).sandbox).state, sandbox_state::destroyed);
}

TEST(ExecutionEnd, ATroubledCleanUpGivesThePlaceBack)
{
    service_world w;
    const auto id = w.run();
    w.runtime.throw_next(call::destroy, "cannot unmount");
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.running(), 0u);
    const auto next = w.run();
    w.sandboxes.throw_next("disk is broken");
    w.agent(1).exit(0);
    w.ended(next);
    EXPECT_EQ(w.running(), 0u);
}

TEST(ExecutionEnd, WhatInheritsTheAgentsFilterGetsTheRestOnly)
{
    service_world w;
    w.runtime.filters = true;
    auto id = w.run();
    EXPECT_EQ(w.agent().request->seccomp_filter, "the rest");
    w.agent().exit(0);
    w.ended(id);
    w.runtime.host.isolates = false;
    id = w.run();
    EXPECT_EQ(w.agent(1).request->seccomp_filter, "");
    w.agent(1).exit(0);
    w.ended(id);
}

TEST(ExecutionEnd, TheSpecReachesTheProgram)
{
    service_world w;
    auto spec = w.program();
    spec.argv = {"prog", "a b", ""};
    spec.env = {{"X", "1"}, {"PATH", "/mine"}};
    spec.cwd = "sub/dir";
    spec.files = {{"sub/in.txt", shared_bytes("content")}};
    spec.pty = pty_size{100, 40};
    const auto id = w.run(spec);
    ASSERT_TRUE(w.agent().request);
    const auto& asked = *w.agent().request;
    EXPECT_EQ(asked.argv, spec.argv);
    EXPECT_EQ(asked.cwd, "/workspace/sub/dir");
    EXPECT_EQ(asked.pty->cols, 100);
    EXPECT_EQ(asked.wall_ms, 30'000u);
    EXPECT_EQ(asked.seccomp_filter, "a filter");
    const std::map<std::string, std::string> env(asked.env.begin(), asked.env.end());
    EXPECT_EQ(env.at("X"), "1");
    EXPECT_EQ(env.at("PATH"), "/mine");
    EXPECT_EQ(env.at("CAISSON_EXECUTION_ID"), id.str());
    EXPECT_EQ(w.agent().files.at("sub/in.txt"), "content");
    EXPECT_EQ(w.box().limits.at(first_program_group).memory_bytes, spec.limits.memory_bytes);
}

TEST(ExecutionEnd, MoreThanTheWindowArrivesWhole)
{
    service_world w;
    const auto id = w.run();
    std::string much;
    for (int i = 0; much.size() < (3u << 20); ++i)
        much += std::to_string(i) + "\n";
    w.agent().print(much);
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.stored(id), "[queued][running]1:" + much + "[usage][exit]");
}

TEST(ExecutionEnd, ALeftOverChildEndsWithTheLeader)
{
    service_world w;
    const auto id = w.run();
    w.agent().print("x");
    w.agent().exit_leaving_a_child(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(w.box().group_kills, 1u);
    EXPECT_EQ(w.stored(id), "[queued][running]1:x[usage][exit]");
}

TEST(ExecutionEnd, StreamsThatDoNotEndAreNotWaitedForForever)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGKILL};
    w.agent().exit_leaving_a_child(0);
    w.advance(2900ms);
    EXPECT_FALSE(w.has_ended(id));
    EXPECT_EQ(w.ended(id).status, execution_status::success);
}

TEST(ExecutionEnd, OutputPastTheLimitKeepsHeadAndTail)
{
    service_world::options small;
    small.logs.tail_bytes = 4;
    service_world w(small);
    auto spec = w.program();
    spec.limits.max_output_bytes = 10;
    const auto id = w.run(spec);
    w.agent().print("0123456789abcdefgh");
    w.turn();
    EXPECT_EQ(w.find(id)->status, execution_status::running);
    w.agent().exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(w.stored(id), "[queued][running]1:0123456789<1:4 missing>1:efgh[usage][exit]");
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.limits_hit, limits{limit_kind::output});
    EXPECT_TRUE(row.stdout_truncated);
    EXPECT_FALSE(row.stderr_truncated);
    EXPECT_EQ(row.usage.output_bytes, 18);
}

struct end_case {
    std::string_view name;
    std::function<void(service_world&)> act;    // while the program runs
    execution_status status;
    caisson::verdict verdict;
    std::string_view error;    // a part of it
    limits hit = {};
    std::function<void(execution_spec&)> change = [](execution_spec&) { };
};

class ExecutionEndings : public ::testing::TestWithParam<end_case> { };

TEST_P(ExecutionEndings, AreDecidedFromWhatWasSeen)
{
    const auto& c = GetParam();
    service_world w;
    auto spec = w.program();
    c.change(spec);
    const auto id = w.run(spec);
    w.agent().print("kept");
    w.turn();
    c.act(w);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, c.status) << to_string(row.status);
    ASSERT_TRUE(row.verdict);
    EXPECT_EQ(*row.verdict, c.verdict) << to_string(*row.verdict);
    EXPECT_EQ(row.limits_hit, c.hit);
    EXPECT_NE(row.error.find(c.error), std::string::npos) << row.error;
    EXPECT_EQ(row.error.empty(), c.error.empty());
    const auto log = w.stored(id);
    EXPECT_TRUE(log.starts_with("[queued][running]1:kept")) << log;
    EXPECT_TRUE(log.ends_with("[usage][exit]")) << log;
    EXPECT_TRUE(w.advance_until([&] { return w.running() == 0; }));
    EXPECT_EQ(w.runtime.live(), 0u);
}

using status = execution_status;

/// The kernel's readings of the group, while the program goes on.
auto reads(group_usage usage)
{
    return [usage](service_world& w) { w.box().usage = usage; };
}
/// Readings of a program that ends before they are looked at.
auto reads_at_end(group_usage usage, int signal)
{
    return [usage, signal](service_world& w) {
        w.box().usage = usage;
        signal == 0 ? w.agent().exit(0) : w.agent().end_by(signal);
    };
}
auto has_sockets(std::int64_t bytes)
{
    return [bytes](service_world& w) { w.box().uncounted_bytes = bytes; };
}
auto exits_with_disk(disk_usage disk)
{
    return [disk](service_world& w) {
        w.box().disk = disk;
        w.agent().exit(1);
    };
}
auto reports(protocol::exit_report report, int signal)
{
    return [report, signal](service_world& w) {
        w.agent().usage = report;
        signal == 0 ? w.agent().exit(0) : w.agent().end_by(signal);
    };
}
/// Neither signals nor the agent end it before the server's own deadline.
void waits_for_the_backstop(service_world& w)
{
    w.agent().ignored_signals = {SIGTERM};
    w.advance(32'900ms);
    EXPECT_EQ(w.box().group_kills, 0u);
}
void hangs_for_good(service_world& w) { w.agent().ignored_signals = {SIGTERM, SIGKILL}; }
/// Where only the agent can kill, and nobody hears it any more.
void is_not_heard_at_its_limit(service_world& w)
{
    w.box().group_kills_by_itself = false;
    hangs_for_good(w);
    w.advance(34s, 100ms);
}
void small_output(execution_spec& spec)
{
    spec.limits.max_output_bytes = 8;
    spec.output_limit_action = on_output_limit::kill;
}

INSTANTIATE_TEST_SUITE_P(Cases, ExecutionEndings,
    ::testing::Values(end_case{"exit_0", [](auto& w) { w.agent().exit(0); }, status::success, verdict::exited, ""},
        end_case{"exit_3", [](auto& w) { w.agent().exit(3); }, status::failed, verdict::exited, "code 3"},
        end_case{"segfault", [](auto& w) { w.agent().end_by(SIGSEGV); }, status::failed, verdict::signaled, "signal 11"},
        end_case{"sigkill_alone_says_nothing", [](auto& w) { w.agent().end_by(SIGKILL); }, status::failed, verdict::signaled, "signal 9"},
        end_case{"oom_seen_running", reads({.oom_kills = 1}), status::failed, verdict::memory_limit, "memory_bytes", {limit_kind::memory}},
        end_case{"oom_seen_at_end", reads_at_end({.oom_kills = 1}, SIGKILL), status::failed, verdict::memory_limit, "memory",
            {limit_kind::memory}},
        end_case{"oom_of_a_child", reads_at_end({.oom_kills = 1}, 0), status::success, verdict::exited, "", {limit_kind::memory}},
        end_case{"netlink_seen_running", has_sockets(most_uncounted_bytes), status::failed, verdict::memory_limit,
            "more than 16 MiB of netlink and UDP sockets, messages unread in them, and record locks, each counted as 1 KiB",
            {limit_kind::memory}},
        end_case{"cpu_seen_running", reads({.cpu_us = 15'000'000}), status::timeout, verdict::cpu_limit, "cpu_ms"},
        end_case{"cpu_below", reads_at_end({.cpu_us = 14'999'999}, 0), status::success, verdict::exited, ""},
        end_case{"cpu_reported", reports({.user_us = 14'000'000, .system_us = 1'000'000}, SIGXCPU), status::timeout, verdict::cpu_limit,
            "cpu_ms"},
        end_case{"pids", reads_at_end({.pids_refused = 1}, 0), status::success, verdict::exited, "", {limit_kind::pids}},
        end_case{"disk", exits_with_disk({.bytes_exhausted = true}), status::failed, verdict::exited, "code 1", {limit_kind::disk}},
        end_case{"inodes", exits_with_disk({.inodes_exhausted = true}), status::failed, verdict::exited, "code 1", {limit_kind::inodes}},
        end_case{"wall_by_agent", reports({.cause = protocol::exit_cause::wall_limit}, SIGTERM), status::timeout, verdict::wall_limit,
            "wall_ms"},
        end_case{"wall_backstop", waits_for_the_backstop, status::timeout, verdict::wall_limit, "wall_ms"},
        end_case{"cannot_be_killed", hangs_for_good, status::timeout, verdict::wall_limit, "wall_ms"},
        end_case{"wall_backstop_unheard", is_not_heard_at_its_limit, status::interrupted, verdict::lost, "did not report the end"},
        end_case{"output_kill", [](auto& w) { w.agent().print("and too much"); }, status::failed, verdict::output_limit, "max_output_bytes",
            {limit_kind::output}, small_output},
        end_case{"agent_dies", [](auto& w) { w.agent().die("signal 9 hit the agent"); }, status::interrupted, verdict::lost,
            "signal 9 hit the agent"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ExecutionEnd, AgentThatDiesAfterTheExitLosesNothing)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGKILL};
    w.agent().print("all");
    w.agent().exit_leaving_a_child(7);
    w.turn();
    w.agent().die("late");
    const auto& row = w.ended(id);
    EXPECT_EQ(row.verdict, verdict::exited);
    EXPECT_EQ(row.exit_code, 7);
}

TEST(ExecutionEnd, ABrokenConnectionIsMadeAnew)
{
    service_world w;
    const auto id = w.run();
    for (const auto* part : {"one ", "two ", "three"}) {
        w.agent().print(part);
        w.agent().disconnect();
        w.agent().print("|");
        w.advance(2s);
    }
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.stored(id), "[queued][running]1:one |two |three|[usage][exit]");
    EXPECT_EQ(w.agent().spawns, 1u);
    EXPECT_EQ(w.agent().connections, 4u);
}

}    // namespace
}    // namespace caisson
