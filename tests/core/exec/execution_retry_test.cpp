#include "tests/core/exec/retry_world.hpp"

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;
using stream = protocol::stream_number;
using fault = attempt_fault;

using namespace retrying;

// What is tried again.

struct infra_case {
    std::string_view name;
    std::function<void(service_world&)> break_it;
    fault want;
};
void PrintTo(const infra_case& one, std::ostream* out) { *out << one.name; }

void with_next_agent(service_world& w, std::function<void(testing::fake_agent&)> change)
{
    w.runtime.prepare = [&w, change = std::move(change)](testing::fake_box& box) {
        change(*box.agent);
        auto none = std::exchange(w.runtime.prepare, nullptr);
    };
}

class RetriedByDefault : public ::testing::TestWithParam<infra_case> { };
TEST_P(RetriedByDefault, AndSucceeds)
{
    service_world w;
    GetParam().break_it(w);
    const auto id = w.submit();
    ASSERT_TRUE(w.advance_until([&] { return w.find(id)->status == execution_status::running; }));
    const auto made = w.runtime.created();
    EXPECT_EQ(w.runtime.live(), 1u) << "the first sandbox is gone";
    w.agent(made - 1).print("second");
    w.agent(made - 1).exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.error, "");
    EXPECT_EQ(faults_of(row), "1:" + std::string(to_string(GetParam().want)) + " 2:-");
    EXPECT_NE(row.attempts[0].error, "");
    EXPECT_EQ(row.attempts[0].delay_ms, 500);
    EXPECT_EQ(row.attempts[1].started_at_ms - *row.attempts[0].ended_at_ms, 500);
    EXPECT_EQ(row.attempts[1].sandbox, row.sandbox);
    EXPECT_FALSE(row.next_attempt_at_ms);
    EXPECT_EQ(w.stored(id), "[queued][queued][running]1:second[usage][exit]");
    EXPECT_EQ(w.runtime.live(), 0u);
    EXPECT_TRUE(w.get(w.sandboxes.alive())->empty());
}
INSTANTIATE_TEST_SUITE_P(Cases, RetriedByDefault,
    ::testing::Values(infra_case{"create_fails", [](auto& w) { w.runtime.fail_next(call::create, broken); }, fault::runtime_unavailable},
        infra_case{"create_throws", [](auto& w) { w.runtime.throw_next(call::create, "bug"); }, fault::runtime_unavailable},
        infra_case{"start_fails", [](auto& w) { w.runtime.fail_next(call::start, broken); }, fault::runtime_unavailable},
        infra_case{"group_fails", [](auto& w) { w.runtime.fail_next(call::open_group, broken); }, fault::runtime_unavailable},
        infra_case{"connect_fails", [](auto& w) { w.runtime.fail_next(call::connect, broken); }, fault::agent_unreachable},
        infra_case{"agent_is_dead", [](auto& w) { with_next_agent(w, [](auto& a) { a.die("at once"); }); }, fault::agent_unreachable},
        infra_case{"agent_is_silent", [](auto& w) { with_next_agent(w, [](auto& a) { a.mute(); }); }, fault::agent_unreachable},
        infra_case{"sandbox_record_fails", [](auto& w) { w.sandboxes.fail_next(broken); }, fault::runtime_unavailable}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ExecutionRetry, TheLastFailureEndsItAndTellsHowOftenItWasTried)
{
    service_world w;
    for (int i = 0; i < 3; ++i)
        w.runtime.fail_next(call::create, broken);
    const auto id = w.submit(tried(3));
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::failed);
    EXPECT_EQ(row.verdict, verdict::runtime_error);
    EXPECT_EQ(row.error, "the sandbox could not be started: the host is full; tried 3 times");
    EXPECT_EQ(faults_of(row), "1:runtime_unavailable 2:runtime_unavailable 3:runtime_unavailable");
    EXPECT_EQ(row.attempts[1].delay_ms, 1'000);
    EXPECT_FALSE(row.attempts[2].delay_ms);
    EXPECT_EQ(w.stored(id), "[queued][queued][queued][usage][exit]");
}

TEST(ExecutionRetry, AProgramsFailureIsItsOwn)
{
    service_world w;
    const auto failed = w.run(tried(5));
    w.agent().exit(1);
    EXPECT_EQ(faults_of(w.ended(failed)), "1:program");
    const auto killed = w.run(tried(5, {9, 137}));
    w.agent(1).end_by(SIGKILL);
    EXPECT_EQ(faults_of(w.ended(killed)), "1:program");
    const auto none = [&] {
        w.runtime.prepare = [](testing::fake_box& box) { box.agent->start_code = ENOENT; };
        return w.submit(tried(5, {127}));
    }();
    EXPECT_EQ(faults_of(w.ended(none)), "1:program");
    EXPECT_EQ(w.row(none).error.find("tried"), std::string::npos);
    EXPECT_EQ(w.runtime.created(), 3u);
}

TEST(ExecutionRetry, AnExitCodeThatIsNamedIsTriedAgainWithFilesAndStdin)
{
    service_world w;
    auto spec = tried(3, {75});
    spec.files = {{"data.txt", shared_bytes("abc")}};
    spec.stdin_data = shared_bytes("in");
    const auto id = w.run(spec);
    w.agent().print("one ");
    w.agent().print("oops ", stream::stderr_stream);
    w.agent().exit(75);
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    EXPECT_EQ(w.agent(1).files.at("data.txt"), "abc");
    EXPECT_EQ(w.agent(1).stdin_text(), "in");
    EXPECT_TRUE(w.agent(1).stdin_ended());
    w.agent(1).print("two");
    w.agent(1).exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.exit_code, 0);
    EXPECT_EQ(faults_of(row), "1:program 2:-");
    EXPECT_EQ(row.attempts[0].exit_code, 75);
    EXPECT_EQ(row.attempts[0].error, "the program exited with code 75");
    EXPECT_EQ(row.attempts[1].stdout_base, 4u);
    EXPECT_EQ(row.attempts[1].stderr_base, 5u);
    EXPECT_EQ(row.usage.output_bytes, 12);
    EXPECT_EQ(w.stored(id), "[queued][running]1:one 2:oops [queued][running]1:two[usage][exit]");
}

TEST(ExecutionRetry, AnotherExitCodeEndsIt)
{
    service_world w;
    const auto id = w.run(tried(3, {75}));
    w.agent().exit(75);
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.agent(1).exit(1);
    EXPECT_EQ(w.ended(id).error, "the program exited with code 1; tried 2 times");
}

TEST(ExecutionRetry, LimitsAndCancelsAreNot)
{
    service_world w;
    auto spec = tried(5, {0, 1, 9, 137, 143});
    spec.idempotent = true;
    spec.limits.wall_ms = 1'000;
    const auto slow = w.run(spec);
    w.agent().ignored_signals = {SIGTERM};
    EXPECT_EQ(faults_of(w.ended(slow)), "1:limit");
    EXPECT_EQ(w.row(slow).status, execution_status::timeout);
    const auto cancelled = w.run(spec);
    ASSERT_TRUE(w.cancel(cancelled).has_value());
    EXPECT_EQ(faults_of(w.ended(cancelled)), "1:limit");
    EXPECT_EQ(w.runtime.created(), 2u);
}

// A lost agent.

TEST(ExecutionRetry, ALostAgentEndsARunThatIsNotIdempotent)
{
    service_world w;
    auto spec = tried(5);
    spec.retry.faults.push_back(fault::agent_lost);
    const auto id = w.run(spec);
    w.agent().die("it was killed");
    EXPECT_EQ(faults_of(w.ended(id)), "1:agent_lost");
    EXPECT_EQ(w.row(id).status, execution_status::interrupted);
    EXPECT_EQ(w.runtime.created(), 1u);
}

TEST(ExecutionRetry, ALostAgentIsReplacedForAnIdempotentRun)
{
    service_world w;
    const auto id = w.run(idempotent());
    w.agent().print("one ");
    w.turn();
    w.agent().die("it was killed");
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.agent(1).print("two");
    w.agent(1).exit(0);
    EXPECT_EQ(faults_of(w.ended(id)), "1:agent_lost 2:-");
    EXPECT_EQ(w.stored(id), "[queued][running]1:one [queued][running]1:two[usage][exit]");
}

TEST(ExecutionRetry, AnAgentThatItsProgramsCanKillIsNeverReplaced)
{
    service_world w;
    w.runtime.host.isolates = false;
    const auto id = w.run(idempotent());
    w.agent().die("it was killed");
    EXPECT_EQ(faults_of(w.ended(id)), "1:agent_lost");
    EXPECT_EQ(w.runtime.created(), 1u);
}

TEST(ExecutionRetry, AnAgentThatWentDownOutOfMemoryIsNot)
{
    service_world w;
    const auto id = w.run(idempotent());
    w.box().usage.oom_kills = 1;
    w.agent().die("it was killed");
    w.ended(id);
    EXPECT_EQ(w.runtime.created(), 1u);
}

TEST(ExecutionRetry, AnAgentThatIsSilentThoughAliveIsNot)
{
    service_world w;
    auto spec = idempotent();
    spec.limits.wall_ms = 1'000;
    w.runtime.prepare = [](testing::fake_box& box) { box.agent->program = [](auto& a) { a.mute(); }; };
    const auto id = w.submit(spec);
    EXPECT_EQ(w.ended(id).verdict, verdict::lost);
    EXPECT_EQ(faults_of(w.row(id)), "1:agent_lost");
    EXPECT_EQ(w.runtime.created(), 1u) << "its program may run";
}

// stdin.

TEST(ExecutionRetry, WhatWasGivenToARunningProgramCannotBeGivenAgain)
{
    service_world w;
    auto spec = tried(5, {75});
    spec.stdin_open = true;
    const auto id = w.run(spec);
    const auto given = w.begin(w.service().write_stdin(w.tenant, id, {"x", std::nullopt, false}, w.time().steady_now() + 1s));
    w.turn();
    ASSERT_TRUE(given->done());
    w.agent().exit(75);
    EXPECT_EQ(faults_of(w.ended(id)), "1:program");
    EXPECT_EQ(w.row(id).error, "the program exited with code 75; what the program took from stdin cannot be given again");
    EXPECT_EQ(w.runtime.created(), 1u);
}

TEST(ExecutionRetry, StdinThatNobodyTookComesToTheNextAttempt)
{
    service_world w;
    w.runtime.fail_next(call::create, broken);
    auto spec = tried(2);
    spec.stdin_open = true;
    spec.stdin_data = shared_bytes("a");
    const auto id = w.submit(spec);
    const auto given = w.begin(w.service().write_stdin(w.tenant, id, {"b", 1, true}, w.time().steady_now() + 10s));
    ASSERT_TRUE(w.advance_until([&] { return given->done(); }));
    EXPECT_EQ(given->value->value(), 2u);
    EXPECT_EQ(w.agent().stdin_text(), "ab");
    EXPECT_TRUE(w.agent().stdin_ended());
}

// Time.

TEST(ExecutionRetry, TheDeadlineIsOneForAllAttempts)
{
    service_world w;
    auto spec = tried(5, {75});
    spec.limits.wall_ms = 10'000;
    const auto id = w.run(spec);
    w.advance(4s);
    w.agent().exit(75);
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    EXPECT_EQ(w.agent(0).request->wall_ms, 10'000u);
    EXPECT_EQ(w.agent(1).request->wall_ms, 5'500u);
    w.advance(5s);
    w.agent(1).exit(75);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.error, "the program exited with code 75; no time is left for another attempt; tried 2 times");
    EXPECT_EQ(faults_of(row), "1:program 2:program");
    EXPECT_EQ(w.runtime.created(), 2u);
}

TEST(ExecutionRetry, ADelayThatWouldPassTheDeadlineIsToldAlsoOfASkill)
{
    service_world w;
    auto spec = tried(2, {75});
    spec.limits.wall_ms = 900;
    spec.retry.first_delay_ms = 60'000;
    spec.retry.max_delay_ms = 60'000;
    const auto id = w.run(spec);
    w.agent().exit(75);
    EXPECT_EQ(w.ended(id).error, "the program exited with code 75; no time is left for another attempt");
    EXPECT_EQ(w.row(id).attempts.at(0).error, w.row(id).error);
    spec.kind = execution_kind::skill;
    spec.skill = skill_run{.name = "x", .version = "1.0.0", .digest = "abcd"};
    w.trees.packages["abcd"];
    const auto skill = w.run(spec);
    w.agent(1).exit(75);
    EXPECT_EQ(w.ended(skill).error, "container exited with code 75; no time is left for another attempt");
    EXPECT_EQ(w.row(skill).attempts.at(0).error, w.row(skill).error);
}

TEST(ExecutionRetry, OneThatDoesNotGetItsTurnInTimeEnds)
{
    service_world w({.max_running = 1});
    auto spec = tried(2);
    spec.limits.wall_ms = 2'000;
    w.runtime.fail_next(call::create, broken);
    const auto id = w.submit(spec);
    const auto other = w.run();
    EXPECT_EQ(w.ended(id).error, "the sandbox could not be started: the host is full; no time is left for another attempt");
    EXPECT_EQ(w.row(id).verdict, verdict::runtime_error);
    EXPECT_EQ(faults_of(w.row(id)), "1:runtime_unavailable");
    EXPECT_EQ(*w.row(id).duration_ms, 1'900);
    EXPECT_EQ(w.waiting(), 0u);
    w.agent().exit(0);
    w.ended(other);
}

}    // namespace
}    // namespace caisson
