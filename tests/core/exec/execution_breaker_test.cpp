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
    EXPECT_EQ(
        w.ended(id).error, "the sandbox could not be started: the runtime \"fake\" failed 5 times in a row; it is tried again in 1 s");
    EXPECT_EQ(w.row(id).attempts.at(0).fault, attempt_fault::runtime_unavailable);
    EXPECT_EQ(w.runtime.created(), 0u);
    EXPECT_EQ(w.log.errors, std::vector<std::string>{"a runtime keeps failing and is left alone for a while"});
    w.advance(1s);
    EXPECT_EQ(is(), state::half_open);
    const auto trial = w.run(once());
    EXPECT_EQ(is(), state::closed);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(trial).status, execution_status::success);
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
    EXPECT_NE(w.ended(other).error.find("by one execution at a time"), std::string::npos) << w.row(other).error;
    w.runtime.gate_of(call::create).uncork();
    w.turn();
    EXPECT_EQ(w.find(trial)->status, execution_status::running);
}

TEST_F(ExecutionBreaker, AnAttemptAfterItWaitsUntilItMayBegin)
{
    fail(5);
    w.jitter = 0;
    const auto id = w.submit();
    EXPECT_EQ(w.find(id)->attempts.at(0).delay_ms, 1'000);
    ASSERT_TRUE(w.advance_until([&] { return w.find(id)->status == execution_status::running; }));
    EXPECT_EQ(w.runtime.created(), 1u);
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
