#include "tests/core/exec/service_world.hpp"

/// Sandboxes that are made before their execution is recorded.
namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;

class ExecutionMade : public ::testing::Test {
protected:
    ExecutionMade() { w.runtime.soon = true; }

    std::shared_ptr<pending<result<execution_row>>> begin(execution_spec spec = service_world::program())
    {
        auto answer = w.begin(w.service().submit(w.tenant, std::move(spec)));
        w.turn();
        return answer;
    }
    service_world w{{.max_running = 1}};
};

TEST_F(ExecutionMade, RunsWhileItIsRecorded)
{
    w.executions.cork();
    const auto answer = begin();
    ASSERT_EQ(w.runtime.created(), 1u);
    ASSERT_TRUE(w.agent().is_running());
    w.agent().print("early");
    w.agent().exit(3);
    w.advance(100ms);
    EXPECT_FALSE(answer->done()) << "nothing is answered for yet";
    EXPECT_EQ(w.events.appends(), 0u) << "no log without a record";
    w.executions.uncork();
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_value());
    const auto id = (**answer->value).id;
    EXPECT_EQ(w.ended(id).exit_code, 3);
    EXPECT_EQ(w.stored(id), "[queued][running]1:early[usage][exit]");
    ASSERT_EQ(w.row(id).attempts.size(), 1u);
    EXPECT_EQ(w.row(id).attempts[0].sandbox, w.row(id).sandbox);
    EXPECT_TRUE(w.row(id).stages.start_ms.has_value());
    EXPECT_EQ(w.sandboxes.row(*w.row(id).sandbox).tenant, w.tenant);
}

TEST_F(ExecutionMade, IsRecordedFirstUnderAnIdempotencyKey)
{
    w.executions.cork();
    const idempotency_claim claim{"POST /v1/executions", "key", "fingerprint"};
    const auto answer = w.begin(w.service().submit_once(w.tenant, service_world::program(), claim));
    w.advance(50ms);
    EXPECT_EQ(w.runtime.created(), 0u);
    w.executions.uncork();
    EXPECT_TRUE(w.advance_until([&] { return answer->done() && w.runtime.created() == 1; }));
}

TEST_F(ExecutionMade, IsRecordedFirstWhereItHasToWait)
{
    w.run();
    const auto second = begin();
    ASSERT_TRUE(second->value && second->value->has_value());
    EXPECT_EQ(w.runtime.created(), 1u);
    EXPECT_EQ(w.waiting(), 1u);
}

TEST_F(ExecutionMade, OneThatCannotBeRecordedIsRefusedAndNothingOfItStays)
{
    w.executions.fail_next({errc::internal, "disk is broken"});
    const auto answer = begin();
    ASSERT_TRUE(answer->value && answer->value->has_error());
    EXPECT_TRUE(w.advance_until([&] { return w.box().destroyed && w.running() == 0; }));
    EXPECT_EQ(w.executions.size(), 0u);
    EXPECT_EQ(w.sandboxes.size(), 0u);
    EXPECT_EQ(w.events.appends(), 0u);
}

struct failure_case {
    std::string_view name;
    call what;
};
void PrintTo(const failure_case& c, std::ostream* out) { *out << c.name; }
class ExecutionNotMade : public ExecutionMade, public ::testing::WithParamInterface<failure_case> { };

TEST_P(ExecutionNotMade, IsRecordedWithThatAttempt)
{
    w.runtime.fail_next(GetParam().what, {errc::runtime_unavailable, "the host is full"});
    auto spec = service_world::program();
    spec.retry.attempts = 1;
    const auto answer = begin(spec);
    ASSERT_TRUE(w.advance_until([&] { return answer->done(); }));
    const auto id = answer->value->value().id;
    const auto& row = w.ended(id);
    EXPECT_EQ(row.verdict, verdict::runtime_error);
    EXPECT_NE(row.error.find("the host is full"), std::string::npos) << row.error;
    EXPECT_EQ(row.attempts.size(), 1u);
    EXPECT_EQ(w.stored(id), "[queued][usage][exit]");
    EXPECT_TRUE(w.advance_until([&] { return w.running() == 0; }));
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST_P(ExecutionNotMade, IsTriedAgain)
{
    w.runtime.fail_next(GetParam().what, {errc::runtime_unavailable, "the host is full"});
    auto spec = service_world::program();
    spec.retry.attempts = 2;
    const auto answer = begin(spec);
    ASSERT_TRUE(w.advance_until([&] { return answer->done(); }));
    const auto id = answer->value->value().id;
    const auto running = [&] { return w.runtime.created() > 0 && w.agent(w.runtime.created() - 1).is_running(); };
    ASSERT_TRUE(w.advance_until(running));
    w.agent(w.runtime.created() - 1).exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    EXPECT_EQ(w.row(id).attempts.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Cases, ExecutionNotMade,
    ::testing::Values(
        failure_case{"create", call::create}, failure_case{"start", call::start}, failure_case{"open_group", call::open_group}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(ExecutionMade, AServerThatStopsWaitsForItAndLeavesItToTheNext)
{
    w.runtime.gate_of(call::start).cork();
    const auto answer = begin();
    const auto stop = w.begin(w.service().hand_over(w.time().steady_now() + 10s));
    w.advance(50ms);
    EXPECT_FALSE(stop->done());
    EXPECT_FALSE(answer->done());
    w.runtime.gate_of(call::start).uncork();
    EXPECT_TRUE(w.advance_until([&] { return stop->done(); }));
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_FALSE(w.box().destroyed);
    EXPECT_EQ(w.row((**answer->value).id).status, execution_status::running);
}

TEST_F(ExecutionMade, AServerThatEndsAllCancelsItOnceItIsRecorded)
{
    w.runtime.gate_of(call::start).cork();
    const auto answer = begin();
    const auto stop = w.begin(w.service().end_all({}));
    w.advance(50ms);
    w.runtime.gate_of(call::start).uncork();
    EXPECT_TRUE(w.advance_until([&] { return stop->done(); }));
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_EQ(w.row((**answer->value).id).status, execution_status::cancelled);
}

TEST_F(ExecutionMade, AServerThatCannotWaitRecordsNothingOfIt)
{
    w.runtime.gate_of(call::start).cork();
    const auto answer = begin();
    const auto stop = w.begin(w.service().hand_over(w.time().steady_now() + 1s));
    EXPECT_TRUE(w.advance_until([&] { return stop->done(); }));
    EXPECT_TRUE(answer->failure) << "its client is not answered for it";
    EXPECT_EQ(w.executions.size(), 0u);
    EXPECT_EQ(w.sandboxes.size(), 0u);
}

}    // namespace
}    // namespace caisson
