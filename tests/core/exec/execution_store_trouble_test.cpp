#include "tests/core/exec/service_world.hpp"

namespace caisson {
namespace {

using namespace std::chrono_literals;
using status = execution_status;

const error broken{errc::internal, "disk is broken"};

TEST(ExecutionStoreTrouble, EventsThatCannotBeStoredForAWhileAreNotLost)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    const auto viewer = w.view(id);
    for (int i = 0; i < 4; ++i) {
        w.events.fail_next(broken);
        w.events.throw_next("disk is broken");
    }
    w.agent().print("early ");
    w.turn();
    EXPECT_EQ(w.read_now(*viewer), "[queued][running]1:early ");    // shown, not stored
    EXPECT_EQ(w.agent().acknowledged(protocol::stream_number::stdout_stream), 0u);
    w.agent().print("late");
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.stored(id), "[queued][running]1:early late[usage][exit]");
    EXPECT_FALSE(w.log.errors.empty());
}

TEST(ExecutionStoreTrouble, TheProgramBlocksWhileNothingCanBeStored)
{
    service_world w;
    const auto id = w.run();
    w.events.cork();
    const std::string much(3 << 20, 'x');
    w.agent().print(much);
    w.advance(1s);
    EXPECT_LE(w.view(id)->position().stdout_end, 1u << 20);
    EXPECT_EQ(w.agent().acknowledged(protocol::stream_number::stdout_stream), 0u);
    w.events.uncork();
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.row(id).usage.output_bytes, 3 << 20);
    EXPECT_EQ(w.stored(id).size(), std::string("[queued][running]1:[usage][exit]").size() + much.size());
}

TEST(ExecutionStoreTrouble, WhoseEventsCannotBeStoredGivesItsPlaceUp)
{
    for (const bool is_over : {true, false}) {    // or blocks in a write until its wall limit
        service_world w({.max_running = 1});
        const auto first = w.run();
        w.begin_log();
        w.events.cork();
        w.agent().print(std::string(is_over ? 1'000 : 3 << 20, 'x'));
        w.agent().exit(0);
        w.advance(is_over ? 20s : 55s, 1s);
        const auto second = w.submit();
        w.turn();
        EXPECT_EQ(w.running(), 1u);
        EXPECT_EQ(w.runtime.created(), 1u) << "it waits";
        w.advance(25s, 1s);
        EXPECT_EQ(w.runtime.created(), 2u) << "the place is another's";
        EXPECT_EQ(w.running(), 1u);
        EXPECT_FALSE(w.has_ended(first));
        w.events.uncork();
        EXPECT_EQ(w.ended(first).status, is_over ? status::success : status::timeout);
        EXPECT_EQ(w.row(first).usage.output_bytes, is_over ? 1'000 : 1 << 20) << "nothing that was heard is lost";
        EXPECT_EQ(w.running(), 1u) << "its place was given back once";
        w.agent(1).exit(0);
        w.ended(second);
        EXPECT_EQ(w.running() + w.waiting(), 0u);
        w.run();
        EXPECT_EQ(w.running(), 1u);
    }
}

TEST(ExecutionStoreTrouble, AnEndThatCannotBeRecordedGivesItsPlaceUp)
{
    service_world w({.max_running = 1});
    const auto first = w.run();
    w.agent().exit(0);
    for (int i = 0; i < 60; ++i)
        w.executions.fail_next(broken);
    w.advance(20s, 1s);
    EXPECT_EQ(w.running(), 1u);
    EXPECT_TRUE(w.advance_until([&] { return w.running() == 0; }));
    EXPECT_FALSE(w.has_ended(first));
    w.executions.heal();
    EXPECT_EQ(w.ended(first).status, status::success);
    w.run();
    EXPECT_EQ(w.running(), 1u);
}

TEST(ExecutionStoreTrouble, WhoWaitsForTheDiskHoldsItsTenantsRoom)
{
    service_world w({.max_running = 1, .max_queued = 1});
    w.run();
    w.begin_log();
    w.events.cork();
    w.agent().print("x");
    w.agent().exit(0);
    w.advance(35s, 1s);
    EXPECT_EQ(w.running(), 0u);
    w.submit();
    EXPECT_EQ(w.try_submit().error().code, errc::queue_full) << "it counts as one that waits";
    w.events.uncork();
}

TEST(ExecutionStoreTrouble, ARecordIsTriedUntilItIsFinal)
{
    service_world w;
    const auto id = w.run();
    for (int i = 0; i < 5; ++i) {
        w.executions.fail_next(broken);
        w.executions.throw_next("disk is broken");
    }
    w.agent().exit(0);
    w.turn();
    EXPECT_FALSE(w.has_ended(id));
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.running(), 0u);
}

TEST(ExecutionStoreTrouble, SandboxRecordThatCannotBeClosedDoesNotHoldThePlace)
{
    service_world w;
    const auto id = w.run();
    w.sandboxes.fail_next(broken);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.running(), 0u);
    EXPECT_EQ(w.sandboxes.row(*w.row(id).sandbox).state, sandbox_state::running);
    w.restart();
    EXPECT_EQ(w.sandboxes.row(*w.row(id).sandbox).state, sandbox_state::destroyed);
}

TEST(ExecutionStoreTrouble, AServerWithoutItsRecordsDoesNotStart)
{
    service_world w;
    w.hand_over();
    w.executions.fail_next(broken);
    EXPECT_EQ(w.start_server().error().detail, "disk is broken");
    w.sandboxes.fail_next(broken);
    EXPECT_EQ(w.start_server().error().detail, "disk is broken");
}

TEST(ExecutionStoreTrouble, AnUnreadableLogWaitsForTheNextStart)
{
    service_world w;
    const auto id = w.run();
    w.hand_over();
    w.events.fail_next(broken);
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.row(id).status, status::running);
    EXPECT_EQ(w.runtime.live(), 1u);
    w.agent().print("meanwhile");
    w.restart();
    w.agent().exit(0);
    w.ended(id);
    EXPECT_EQ(w.stored(id), "[queued][running]1:meanwhile[usage][exit]");
}

TEST(ExecutionStoreTrouble, ASandboxIsNotGivenUpForAStoreThatStumbles)
{
    service_world w;
    const auto id = w.run();
    w.hand_over();
    w.sandboxes.let_pass(1);    // start() reads what lives
    w.sandboxes.fail_next(broken);
    w.sandboxes.throw_next("disk is broken");
    EXPECT_TRUE(w.start_server().has_value());
    w.advance(1s);
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, status::success);
}

TEST(ExecutionStoreTrouble, AServerStartsWhileAnEndCannotBeRecorded)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    w.agent().exit(0);
    for (int i = 0; i < 20; ++i)
        w.executions.fail_next(broken);
    w.advance(1s);
    EXPECT_NE(w.stored(id).find("[exit]"), std::string::npos);
    w.kill_server();
    w.executions.heal();
    w.executions.let_pass(3);    // what is kept, what sandboxes are in use, what is unfinished
    w.executions.fail_next(broken);
    w.executions.let_pass(1);    // what else is unfinished
    for (int i = 0; i < 20; ++i)
        w.executions.fail_next(broken);
    const auto before = w.executions.calls();
    ASSERT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.executions.calls(), before + 5) << "the start waited for the record";
    EXPECT_FALSE(w.has_ended(id));
    EXPECT_EQ(w.ended(id).status, status::success);
    EXPECT_EQ(w.running(), 0u);
}

}    // namespace
}    // namespace caisson
