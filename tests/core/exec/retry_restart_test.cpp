#include "tests/core/exec/service_world.hpp"
#include "tests/support/run_task.hpp"

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;

const error broken{errc::runtime_unavailable, "the host is full"};

/// A call of a store while no server runs.
template <class T>
T at_rest(task<T> work)
{
    asio::io_context context;
    return testing::run_task(context, std::move(work));
}

execution_spec tried(int attempts, std::vector<int> exit_codes = {75})
{
    auto spec = service_world::program();
    spec.retry.attempts = attempts;
    spec.retry.exit_codes = std::move(exit_codes);
    spec.files = {{"data.txt", shared_bytes("abc")}};
    return spec;
}

TEST(RetryRestart, TheNextServerKeepsTheTimeOfTheNextAttempt)
{
    service_world w;
    auto spec = tried(2);
    spec.retry.first_delay_ms = 5'000;
    w.runtime.fail_next(call::create, broken);
    const auto id = w.submit(spec);
    w.advance(1s);
    w.restart(1s);
    EXPECT_EQ(w.find(id)->status, execution_status::queued);
    EXPECT_EQ(w.running() + w.waiting(), 0u);
    w.advance(2'900ms);
    EXPECT_EQ(w.runtime.created(), 0u);
    w.advance(200ms);
    EXPECT_EQ(w.agent().files.at("data.txt"), "abc");
    w.agent().exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.attempts.size(), 2u);
    EXPECT_EQ(row.attempts[1].started_at_ms - row.attempts[0].started_at_ms, 5'000);
    EXPECT_EQ(w.stored(id), "[queued][queued][running][usage][exit]");
}

TEST(RetryRestart, ADelayThatPassedMeanwhileIsOver)
{
    service_world w;
    w.runtime.fail_next(call::create, broken);
    const auto id = w.submit(tried(2));
    w.restart(10s);
    EXPECT_EQ(w.find(id)->status, execution_status::running);
    EXPECT_EQ(w.agent().request->wall_ms, 29'500u) << "the time without a server does not count";
}

TEST(RetryRestart, OfTheDeadlineAStopOrAClockSetForwardTakesNoMoreThanTheDelay)
{
    service_world w;
    w.runtime.fail_next(call::create, broken);
    const auto id = w.submit(tried(2));
    w.restart(1h);
    EXPECT_EQ(w.find(id)->status, execution_status::running);
    EXPECT_EQ(w.agent().request->wall_ms, 29'500u);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    EXPECT_EQ(w.stored(id), "[queued][queued][running][usage][exit]");
}

TEST(RetryRestart, TheSecondAttemptIsTakenUpWithItsStreamsAndItsLimit)
{
    service_world w;
    auto spec = tried(2);
    spec.limits.wall_ms = 10'000;
    const auto id = w.run(spec);
    w.agent().print("one ");
    w.advance(3s);
    w.agent().exit(75);
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.agent(1).print("two ");
    w.turn();
    w.restart();
    EXPECT_EQ(w.find(id)->status, execution_status::running);
    w.agent(1).print("three");
    w.turn();
    EXPECT_EQ(w.agent(1).acknowledged(testing::fake_agent::stream::stdout_stream), 9u);
    w.agent(1).exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.attempts.size(), 2u);
    EXPECT_EQ(w.stored(id), "[queued][running]1:one [queued][running]1:two three[usage][exit]");
    EXPECT_EQ(w.agent(1).spawns, 1u);
}

TEST(RetryRestart, WhatWasCutAndOnlyShownDoesNotShiftTheNextAttempt)
{
    service_world w({.logs = {.tail_bytes = 8}});
    auto spec = tried(2);
    spec.limits.max_output_bytes = 4;
    const auto id = w.run(spec);
    w.agent().print("abcdefgh");
    w.agent().exit(75);
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.restart();
    w.agent(1).print("0123");
    w.agent(1).exit(0);
    EXPECT_EQ(w.ended(id).usage.output_bytes, 12);
    EXPECT_EQ(w.stored(id), "[queued][running]1:abcdefgh[queued][running]1:0123[usage][exit]");
}

TEST(RetryRestart, WhatAnEarlierAttemptLostToTheCutIsToldAlsoAfterACrashInTheDelay)
{
    service_world w({.logs = {.tail_bytes = 4}});
    auto spec = tried(2);
    spec.limits.max_output_bytes = 4;
    const auto id = w.run(spec);
    w.agent().print("abcdefghijkl");
    w.agent().exit(75);
    w.turn();
    ASSERT_TRUE(w.find(id)->next_attempt_at_ms);
    w.kill_server();
    ASSERT_TRUE(w.start_server().has_value());
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.agent(1).print("ok");
    w.agent(1).exit(0);
    EXPECT_TRUE(w.ended(id).stdout_truncated);
    EXPECT_EQ(w.row(id).usage.output_bytes, 14);
    EXPECT_EQ(w.stored(id), "[queued][running]1:abcd<1:4 missing>1:ijkl[queued][running]1:ok[usage][exit]");
}

TEST(RetryRestart, AndAfterOneInTheNextAttemptThatSaysNoMore)
{
    service_world w({.logs = {.tail_bytes = 4}});
    auto spec = tried(2);
    spec.limits.max_output_bytes = 4;
    const auto id = w.run(spec);
    w.agent().print("abcdefghijkl");
    w.agent().exit(75);
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.agent(1).print("0123456789");
    w.turn();
    w.kill_server();
    ASSERT_TRUE(w.start_server().has_value());
    w.agent(1).exit(0);
    EXPECT_TRUE(w.ended(id).stdout_truncated);
    EXPECT_EQ(w.stored(id), "[queued][running]1:abcd<1:4 missing>1:ijkl[queued][running]<1:6 missing>1:6789[usage][exit]");
}

TEST(RetryRestart, AnAttemptThatTwoServersLeftBeforeItsProgramStartedIsNotLost)
{
    service_world w;
    const auto lose_events_after = [&](std::size_t calls) {
        w.events.let_pass(calls);
        for (int i = 0; i < 1'000; ++i)
            w.events.fail_next({errc::internal, "disk is broken"});
    };
    const auto id = w.run(tried(2));
    w.begin_log();
    lose_events_after(0);
    w.agent().exit(75);
    w.turn();
    ASSERT_TRUE(w.row(id).next_attempt_at_ms) << "the record has the schedule, the log has not";
    w.kill_server();
    w.events.heal();
    w.runtime.gate_of(call::connect).cork();
    lose_events_after(2);    // what it reads
    ASSERT_TRUE(w.start_server().has_value());
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2 && w.row(id).sandbox; }));
    w.kill_server();
    w.events.heal();
    w.runtime.gate_of(call::connect).uncork();
    ASSERT_EQ(w.stored(id), "[queued][running]");
    ASSERT_TRUE(w.start_server().has_value());
    ASSERT_TRUE(w.advance_until([&] { return w.agent(1).spawns == 1; }));
    w.agent(1).exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success) << w.row(id).error;
    EXPECT_EQ(w.row(id).attempts.size(), 2u);
    EXPECT_EQ(w.stored(id), "[queued][running][queued][running][usage][exit]");
}

TEST(RetryRestart, ACancelWhileNoServerRanEndsTheDelay)
{
    service_world w;
    w.runtime.fail_next(call::create, broken);
    const auto id = w.submit(tried(2));
    w.hand_over();
    ASSERT_TRUE(at_rest(w.executions.request_cancel(w.tenant, id)).has_value());
    ASSERT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.ended(id).status, execution_status::cancelled);
    EXPECT_EQ(w.runtime.created(), 0u);
}

TEST(RetryRestart, AHostThatWentDownIsToBlameForAnIdempotentRun)
{
    service_world w;
    auto spec = tried(2, {});
    spec.idempotent = true;
    const auto id = w.run(spec);
    w.agent().print("one ");
    w.turn();
    w.hand_over();
    w.agent().die("the host was booted");
    ASSERT_TRUE(w.start_server(1s).has_value());
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.agent(1).exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    EXPECT_EQ(w.row(id).attempts[0].fault, attempt_fault::agent_lost);
}

TEST(RetryRestart, OfAnyOtherRunTheLossIsTheEnd)
{
    service_world w;
    const auto id = w.run(tried(5));
    w.hand_over();
    w.agent().die("the host was booted");
    ASSERT_TRUE(w.start_server(1s).has_value());
    EXPECT_EQ(w.ended(id).status, execution_status::interrupted);
    EXPECT_EQ(w.runtime.created(), 1u);
}

TEST(RetryRestart, ARecordOfAnEarlierReleaseHasItsFirstAttempt)
{
    service_world w;
    const auto id = w.run(tried(2));
    w.hand_over();
    auto row = w.row(id);
    row.attempts.clear();
    ASSERT_TRUE(at_rest(w.executions.update(row)).has_value());
    ASSERT_TRUE(w.start_server().has_value());
    w.agent().exit(0);
    ASSERT_EQ(w.ended(id).attempts.size(), 1u);
    EXPECT_EQ(w.row(id).attempts[0].started_at_ms, *row.started_at_ms);
    EXPECT_EQ(w.row(id).attempts[0].sandbox, row.sandbox);
}

// The server dies between any two steps: each store fails from its n-th call on, and what runs then is killed.

struct death_case {
    std::string_view name;
    testing::faults& (*store)(service_world&);
    bool at_host;    // the first attempt fails before its program, else by its exit code
};
void PrintTo(const death_case& one, std::ostream* out) { *out << one.name; }

class RetryDeath : public ::testing::TestWithParam<death_case> {
protected:
    static constexpr int last_step = 14;

    /// Attempt after attempt its program exits: the first with 75, unless the host failed before.
    static void prepare(service_world& w)
    {
        w.runtime.prepare = [&w](testing::fake_box& box) {
            box.agent->program = [nth = w.runtime.created()](testing::fake_agent& agent) {
                agent.print("x");
                agent.exit(nth == 0 && !GetParam().at_host ? 75 : 0);
            };
        };
        if (GetParam().at_host)
            w.runtime.fail_next(call::create, broken);
    }
    static std::size_t spawns(service_world& w)
    {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < w.runtime.created(); ++i) {
            EXPECT_LE(w.agent(i).spawns, 1u);
            sum += w.agent(i).spawns;
        }
        return sum;
    }
};

TEST_P(RetryDeath, MakesNoAttemptTooMuchAndLeavesNone)
{
    for (int step = 1; step <= last_step; ++step) {
        service_world w;
        prepare(w);
        auto& store = GetParam().store(w);
        store.let_pass(static_cast<std::size_t>(step));
        for (int i = 0; i < 100; ++i)
            store.fail_next({errc::internal, "disk is broken"});
        const auto submitted = w.try_submit(tried(2));
        if (submitted.has_error())
            continue;
        const auto id = submitted->id;
        w.advance(1s);
        w.kill_server();
        store.heal();
        ASSERT_TRUE(w.start_server(100ms).has_value());
        const auto& row = w.ended(id);
        const std::string text = w.stored(id);
        EXPECT_LE(row.attempts.size(), 2u) << "step " << step << ' ' << text;
        EXPECT_LE(spawns(w), 2u) << "step " << step << ' ' << text;
        EXPECT_TRUE(text.starts_with("[queued]") && text.ends_with("[usage][exit]")) << "step " << step << ' ' << text;
        EXPECT_TRUE(row.status == execution_status::success || row.verdict == verdict::runtime_error || row.verdict == verdict::lost ||
                    row.exit_code == 75)
            << "step " << step << ' ' << row.error;
        std::size_t queued = 0;
        for (auto at = text.find("[queued]"); at != std::string::npos; at = text.find("[queued]", at + 1))
            ++queued;
        EXPECT_LE(queued, 2u) << "step " << step << ' ' << text;
        w.advance(2s);
        EXPECT_EQ(w.runtime.live(), 0u) << "step " << step;
        EXPECT_EQ(w.running() + w.waiting(), 0u) << "step " << step;
        EXPECT_TRUE(w.get(w.sandboxes.alive())->empty()) << "step " << step;
    }
}

testing::faults& records(service_world& w) { return w.executions; }
testing::faults& logs(service_world& w) { return w.events; }
testing::faults& sandboxes(service_world& w) { return w.sandboxes; }

INSTANTIATE_TEST_SUITE_P(Cases, RetryDeath,
    ::testing::Values(death_case{"records_after_an_exit_code", records, false}, death_case{"records_after_a_failing_host", records, true},
        death_case{"logs_after_an_exit_code", logs, false}, death_case{"logs_after_a_failing_host", logs, true},
        death_case{"sandboxes_after_an_exit_code", sandboxes, false}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
