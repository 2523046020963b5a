#include "tests/core/exec/service_world.hpp"

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;
using state = circuit_breaker::state;

const error broken{errc::runtime_unavailable, "the host is full"};

class ExecutionBreaker : public ::testing::Test {
protected:
    static execution_spec once()
    {
        auto spec = service_world::program();
        spec.retry.attempts = 1;
        return spec;
    }
    void fail(int times, call which = call::create)
    {
        for (int i = 0; i < times; ++i) {
            w.runtime.fail_next(which, broken);
            w.ended(w.submit(once()));
        }
    }
    state is() { return w.service().breaker_of("fake").state; }

    service_world w;
};

TEST_F(ExecutionBreaker, OpensWhenTheHostKeepsFailingAndNothingIsAskedOfItThen)
{
    fail(4);
    EXPECT_EQ(is(), state::closed);
    fail(1);
    EXPECT_EQ(is(), state::open);
    const auto id = w.submit(once());
    EXPECT_EQ(w.find(id)->status, execution_status::queued);
    EXPECT_EQ(w.runtime.created(), 0u);
    EXPECT_EQ(w.log.errors, std::vector<std::string>{"a runtime keeps failing and is left alone for a while"});
    w.advance(990ms);
    EXPECT_EQ(w.runtime.created(), 0u);
    w.advance(10ms);
    EXPECT_EQ(is(), state::closed) << "it was the trial";
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    EXPECT_EQ(w.row(id).attempts.size(), 1u);
}

TEST_F(ExecutionBreaker, ARefusalIsAWaitThatTheRecordTells)
{
    fail(5);
    const auto since = to_rfc3339(w.time().now_ms());
    const auto id = w.submit(once());
    EXPECT_EQ(w.find(id)->waits_for, "the runtime \"fake\" has been unavailable since " + since + "; it is tried again by itself");
    EXPECT_EQ(w.get(w.service().list(w.tenant, {}))->front().waits_for, w.find(id)->waits_for);
    EXPECT_FALSE(w.find(id)->queue_position);
    EXPECT_TRUE(w.find(id)->attempts.empty());
    EXPECT_EQ(w.running(), 0u) << "its place is for others";
    w.advance(1s);
    EXPECT_EQ(w.find(id)->waits_for, "");
    EXPECT_EQ(w.find(id)->status, execution_status::running);
}

TEST_F(ExecutionBreaker, ThoseThatWaitCountAsWaiting)
{
    w.kill_server();
    w.lower_queue(2);
    ASSERT_TRUE(w.start_server().has_value());
    fail(5);
    for (int i = 0; i < 6; ++i)    // 4 could run
        w.submit(once());
    EXPECT_EQ(w.try_submit(once()).error().code, errc::queue_full);
}

TEST_F(ExecutionBreaker, AllThatWaitRunOneAfterTheOtherWhenItWorksAgain)
{
    w.runtime.prepare = [](testing::fake_box& box) { box.agent->program = [](auto& agent) { agent.exit(0); }; };
    fail(5);
    std::vector<execution_id> all;
    for (int i = 0; i < 50; ++i)
        all.push_back(w.submit(once()));
    for (const auto& id : all) {
        EXPECT_EQ(w.ended(id).status, execution_status::success) << w.row(id).error;
        EXPECT_EQ(w.row(id).attempts.size(), 1u);
    }
    EXPECT_EQ(w.running() + w.waiting(), 0u);
}

TEST_F(ExecutionBreaker, TenantsTakeTurnsWhenItWorksAgain)
{
    fail(5);
    std::vector<execution_id> ours;
    std::vector<execution_id> theirs;
    for (int i = 0; i < 6; ++i) {
        ours.push_back(w.submit(once()));
        theirs.push_back(w.get(w.service().submit(w.stranger, once()))->id);
    }
    w.advance(1s);
    ASSERT_EQ(is(), state::closed);
    EXPECT_EQ(w.running(), 4u);
    const auto running = [&](const execution_id& id) { return w.row(id).status == execution_status::running; };
    EXPECT_EQ(std::ranges::count_if(ours, running), 2);
    EXPECT_EQ(std::ranges::count_if(theirs, running), 2);
}

TEST_F(ExecutionBreaker, AnOutageCostsTheTrialsOnly)
{
    fail(5);
    std::vector<execution_id> all;
    for (int i = 0; i < 20; ++i)
        all.push_back(w.submit(once()));
    for (int i = 0; i < 3; ++i)    // after 1, 2 and 4 s
        w.runtime.fail_next(call::create, broken);
    w.advance(7'500ms);
    EXPECT_EQ(w.service().breaker_of("fake").pause_left, 7'500ms);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(w.row(all[i]).error, "the sandbox could not be started: the host is full") << "who waited longest tries";
    for (std::size_t i = 3; i < all.size(); ++i)
        EXPECT_EQ(w.find(all[i])->status, execution_status::queued);
    EXPECT_EQ(w.running(), 0u);
}

TEST_F(ExecutionBreaker, AFirstAttemptWaitsTenMinutesForItsRuntime)
{
    fail(5);
    const auto since = to_rfc3339(w.time().now_ms());
    const auto trial = [&] {    // makes a sandbox for ever
        w.runtime.gate_of(call::create).cork();
        const auto id = w.submit(once());
        w.advance(1s);
        return id;
    }();
    const auto id = w.submit(once());
    w.advance(10min - 1s, 1s);
    EXPECT_EQ(w.find(id)->status, execution_status::queued);
    w.advance(1s);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::failed);
    EXPECT_EQ(row.verdict, verdict::runtime_error);
    EXPECT_EQ(row.error,
        "the sandbox could not be started: the runtime \"fake\" has been unavailable since " + since + "; it was waited for 10 minutes");
    EXPECT_TRUE(row.attempts.empty());
    EXPECT_EQ(w.waiting(), 0u);
    w.runtime.gate_of(call::create).uncork();
    w.turn();
    EXPECT_EQ(w.find(trial)->status, execution_status::running);
}

TEST_F(ExecutionBreaker, ALaterAttemptWaitsUntilTheDeadlineOfAll)
{
    auto spec = service_world::program();
    spec.limits.wall_ms = 5'000;
    spec.retry.first_delay_ms = 1'500;
    w.runtime.fail_next(call::create, broken);
    const auto id = w.submit(spec);
    fail(4);
    const auto since = to_rfc3339(w.time().now_ms());
    w.runtime.gate_of(call::create).cork();
    w.submit(once());    // the trial, which takes for ever
    w.advance(4'800ms);
    EXPECT_NE(w.find(id)->waits_for, "");
    const auto& row = w.ended(id);
    EXPECT_EQ(row.error, "the sandbox could not be started: the host is full; the runtime \"fake\" has been unavailable since " + since +
                             "; no time is left for another attempt");
    EXPECT_EQ(row.verdict, verdict::runtime_error);
    EXPECT_EQ(row.attempts.size(), 1u);
    EXPECT_EQ(*row.duration_ms, 4'900);
    w.runtime.gate_of(call::create).uncork();
    w.turn();
}

TEST_F(ExecutionBreaker, ACancelWhileItWaitsForItsRuntimeEndsIt)
{
    fail(5);
    const auto first = w.submit(once());
    const auto second = w.submit(once());
    ASSERT_TRUE(w.cancel(first).has_value());
    EXPECT_EQ(w.row(first).status, execution_status::cancelled);
    EXPECT_EQ(w.row(first).error, "the execution was cancelled");
    w.advance(1s);
    EXPECT_EQ(w.find(second)->status, execution_status::running) << "it is the first of the line now";
    EXPECT_EQ(w.running(), 1u);
    EXPECT_EQ(w.waiting(), 0u);
}

TEST_F(ExecutionBreaker, TheNextServerGoesOnWithWhatWaits)
{
    fail(5);
    const auto id = w.submit(once());
    w.restart();
    w.turn();
    EXPECT_EQ(w.find(id)->status, execution_status::running);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    EXPECT_EQ(w.row(id).attempts.size(), 1u);
}

TEST_F(ExecutionBreaker, ATrialThatBreaksDownInTheServerMakesRoomForTheNext)
{
    fail(5);
    const auto first = w.submit(once());
    const auto second = w.submit(once());
    w.sandboxes.fail_next({errc::internal, "disk is broken"});    // of the first: no fault of the host
    w.ended(first);
    EXPECT_EQ(w.row(first).status, execution_status::failed);
    EXPECT_EQ(w.find(second)->status, execution_status::running);
    EXPECT_EQ(is(), state::closed);
}

TEST_F(ExecutionBreaker, CountsAgentsThatDoNotAnswerToo)
{
    fail(2, call::start);
    fail(2, call::open_group);
    fail(1, call::connect);
    EXPECT_EQ(is(), state::open);
}

TEST_F(ExecutionBreaker, ATrialThatFailsOpensItForLonger)
{
    fail(5);
    w.advance(1s);
    fail(1);
    EXPECT_EQ(w.service().breaker_of("fake").pause_left, 2s);
}

TEST_F(ExecutionBreaker, OneAtATimeIsTheTrial)
{
    fail(5);
    w.advance(1s);
    w.runtime.gate_of(call::create).cork();
    const auto trial = w.submit(once());
    const auto other = w.submit(once());
    w.advance(2s);
    EXPECT_NE(w.find(other)->waits_for, "");
    EXPECT_EQ(w.running(), 1u);
    w.runtime.gate_of(call::create).uncork();
    w.turn();
    EXPECT_EQ(w.find(trial)->status, execution_status::running);
    EXPECT_EQ(w.find(other)->status, execution_status::running);
}

TEST_F(ExecutionBreaker, AnAttemptAfterItWaitsUntilItMayBegin)
{
    fail(4);
    w.runtime.fail_next(call::create, broken);
    w.jitter = 0;
    const auto id = w.submit();
    EXPECT_EQ(w.find(id)->attempts.at(0).delay_ms, 0) << "the delay is the policy's";
    EXPECT_NE(w.find(id)->waits_for, "");
    w.advance(990ms);
    EXPECT_EQ(w.runtime.created(), 0u);
    ASSERT_TRUE(w.advance_until([&] { return w.find(id)->status == execution_status::running; }));
    EXPECT_EQ(w.runtime.created(), 1u);
    EXPECT_EQ(w.find(id)->attempts.size(), 2u);
}

TEST_F(ExecutionBreaker, TenantsDoNotStandInEachOthersLine)
{
    service_world small({.max_running = 2, .bounds = {.any_tenant = {.max_running = 1}}});
    const auto trial_of = [&](const tenant_id& who) { return small.get(small.service().submit(who, once())).value().id; };
    const auto hog = trial_of(small.tenant);    // its tenant's only place
    for (int i = 0; i < 5; ++i) {
        small.runtime.fail_next(call::create, broken);
        const auto failing = trial_of(small.stranger);
        ASSERT_TRUE(small.advance_until([&] { return small.has_ended(failing); }));
    }
    const auto blocked = trial_of(small.tenant);
    const auto other = trial_of(small.stranger);
    small.advance(1s);
    EXPECT_EQ(small.get(small.service().find(small.stranger, other))->status, execution_status::running);
    EXPECT_EQ(small.find(blocked)->status, execution_status::queued);
    small.agent(0).exit(0);
    small.ended(hog);
    EXPECT_EQ(small.find(blocked)->status, execution_status::running);
}

TEST_F(ExecutionBreaker, ProgramsCannotOpenIt)
{
    w.runtime.prepare = [](testing::fake_box& box) { box.agent->program = [](auto& agent) { agent.die("killed from inside"); }; };
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(w.ended(w.submit(once())).status, execution_status::interrupted);
    w.runtime.prepare = [](testing::fake_box& box) { box.agent->start_code = 2; };
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(w.ended(w.submit(once())).verdict, verdict::runtime_error);
    EXPECT_EQ(is(), state::closed);
    EXPECT_EQ(w.service().breaker_of("fake").faults, 0u);
}

TEST_F(ExecutionBreaker, StoresThatFailDoNotOpenIt)
{
    for (int i = 0; i < 10; ++i) {
        w.sandboxes.fail_next({errc::internal, "disk is broken"});
        w.ended(w.submit(once()));
    }
    EXPECT_EQ(is(), state::closed);
}

TEST_F(ExecutionBreaker, IsOfOneRuntimeAndOfOneServer)
{
    fail(5);
    EXPECT_EQ(w.service().breaker_of("other").state, state::closed);
    w.restart();
    EXPECT_EQ(is(), state::closed);
}

}    // namespace
}    // namespace caisson
