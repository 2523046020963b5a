#include "tests/core/exec/service_world.hpp"

#include <csignal>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;
using status = execution_status;

const service_world::options one_place{.max_running = 1, .max_queued = 2};

TEST(ExecutionQueue, KeepsTheOrder)
{
    service_world w(one_place);
    const auto first = w.run();
    const auto second = w.submit();
    const auto third = w.submit();
    EXPECT_EQ(w.running(), 1u);
    EXPECT_EQ(w.waiting(), 2u);
    w.advance(70ms);
    w.agent(0).exit(0);
    w.ended(first);
    EXPECT_EQ(w.find(second)->status, status::running);
    EXPECT_EQ(w.find(third)->status, status::queued);
    EXPECT_EQ(w.find(second)->stages.queue_ms, 70.0);
    w.agent(1).exit(0);
    w.ended(second);
    w.agent(2).exit(0);
    EXPECT_EQ(w.ended(third).status, status::success);
}

TEST(ExecutionQueue, IsBounded)
{
    service_world w(one_place);
    const auto first = w.run();
    w.submit();
    const auto last = w.submit();
    const auto refused = w.try_submit();
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::queue_full);
    EXPECT_EQ(w.executions.size(), 3u);
    EXPECT_TRUE(w.cancel(last).has_value());
    EXPECT_TRUE(w.try_submit().has_value());
    w.agent(0).exit(0);
    w.ended(first);
    EXPECT_TRUE(w.try_submit().has_value());
}

TEST(ExecutionQueue, WhatWaitingOnesHoldIsBounded)
{
    service_world w({.max_running = 1, .max_waiting_bytes = 1'000});
    auto heavy = service_world::program();
    heavy.stdin_data = shared_bytes(std::string(400, 'i'));
    heavy.files = {{"a", shared_bytes(std::string(200, 'f'))}};
    const auto first = w.run();
    const auto second = w.submit(heavy);
    const auto refused = w.try_submit(heavy);
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::queue_full);
    EXPECT_EQ(w.executions.size(), 2u);
    EXPECT_TRUE(w.try_submit().has_value());    // one that holds nothing
    EXPECT_TRUE(w.cancel(second).has_value());
    EXPECT_TRUE(w.try_submit(heavy).has_value());
    w.agent(0).exit(0);
    w.ended(first);
}

TEST(ExecutionQueue, ARecordThatCannotBeMadeIsRefused)
{
    service_world w;
    w.executions.fail_next({errc::internal, "disk is broken"});
    EXPECT_EQ(w.try_submit().error().detail, "disk is broken");
    EXPECT_EQ(w.running() + w.waiting(), 0u);
    EXPECT_EQ(w.runtime.created(), 0u);
}

TEST(ExecutionQueue, CancelWhileQueued)
{
    service_world w(one_place);
    const auto first = w.run();
    const auto second = w.submit();
    EXPECT_TRUE(w.cancel(second)->cancel_requested);
    const auto& row = w.ended(second);
    EXPECT_EQ(row.status, status::cancelled);
    EXPECT_EQ(row.verdict, verdict::cancelled);
    EXPECT_EQ(w.stored(second), "[queued][usage][exit]");
    EXPECT_EQ(w.runtime.created(), 1u);
    EXPECT_EQ(w.waiting(), 0u);
    w.agent(0).exit(0);
    w.ended(first);
    EXPECT_EQ(w.running(), 0u);
}

class CancelWhileStarting : public ::testing::TestWithParam<call> { };

TEST_P(CancelWhileStarting, EndsWithoutTheProgram)
{
    service_world w;
    w.runtime.gate_of(GetParam()).cork();
    const auto id = w.submit();
    EXPECT_TRUE(w.cancel(id).has_value());
    EXPECT_FALSE(w.has_ended(id));
    w.runtime.gate_of(GetParam()).uncork();
    EXPECT_EQ(w.ended(id).status, status::cancelled);
    EXPECT_EQ(w.agent().spawns, 0u);
    EXPECT_EQ(w.stored(id), "[queued][usage][exit]");
    EXPECT_EQ(w.runtime.live(), 0u);
    EXPECT_EQ(w.running(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Cases, CancelWhileStarting, ::testing::Values(call::create, call::start, call::connect), [](const auto& info) {
    return info.param == call::create ? "create" : info.param == call::start ? "start" : "connect";
});

TEST(ExecutionCancel, AsksBeforeItKills)
{
    service_world w;
    const auto id = w.run();
    EXPECT_TRUE(w.cancel(id)->cancel_requested);
    ASSERT_EQ(w.agent().signals.size(), 2u);    // the other to what the leader left behind
    EXPECT_EQ(w.agent().signals[0].number, unsigned{SIGTERM});
    EXPECT_TRUE(w.agent().signals[0].group);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, status::cancelled);
    EXPECT_EQ(row.verdict, verdict::cancelled);
    EXPECT_EQ(row.signal, SIGTERM);
    EXPECT_EQ(w.time().now_ms(), *row.finished_at_ms);
}

TEST(ExecutionCancel, KillsAfterASecond)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGTERM};
    EXPECT_TRUE(w.cancel(id).has_value());
    w.advance(990ms);
    EXPECT_TRUE(w.agent().is_running());
    EXPECT_EQ(w.box().group_kills, 0u);
    w.advance(60ms);
    EXPECT_FALSE(w.agent().is_running());
    EXPECT_EQ(w.ended(id).status, status::cancelled);
    EXPECT_EQ(w.row(id).signal, SIGKILL);
}

TEST(ExecutionCancel, IsIdempotentWhileItRuns)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGTERM};
    EXPECT_TRUE(w.cancel(id).has_value());
    w.advance(500ms);
    EXPECT_TRUE(w.cancel(id).has_value());
    EXPECT_EQ(w.agent().signals.size(), 1u);
    w.advance(550ms);    // counts from the first
    EXPECT_FALSE(w.agent().is_running());
}

TEST(ExecutionCancel, IsAConflictAfterTheEnd)
{
    service_world w;
    const auto id = w.run();
    w.agent().exit(0);
    w.ended(id);
    const auto again = w.cancel(id);
    ASSERT_TRUE(again.has_error());
    EXPECT_EQ(again.error().code, errc::conflict);
    EXPECT_EQ(w.row(id).status, status::success);
}

TEST(ExecutionCancel, AProgramThatEndsWellInTheGraceIsCancelledToo)
{
    service_world w;
    const auto id = w.run();
    w.agent().ignored_signals = {SIGTERM};
    EXPECT_TRUE(w.cancel(id).has_value());
    w.agent().exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, status::cancelled);
    EXPECT_EQ(row.exit_code, 0);
}

/// The answer never says that it has ended before the record does.
TEST(ExecutionCancel, WhileTheEndIsBeingStoredShowsTheRecord)
{
    service_world w;
    const auto id = w.run();
    w.begin_log();
    w.events.cork();
    w.agent().exit(0);
    w.turn();
    const auto answer = w.cancel(id);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->status, status::running);
    w.events.uncork();
    EXPECT_EQ(w.ended(id).status, status::success);
}

TEST(ExecutionCancel, AStoreThatFailsIsSaid)
{
    service_world w;
    const auto id = w.run();
    w.executions.fail_next({errc::internal, "disk is broken"});
    EXPECT_EQ(w.cancel(id).error().detail, "disk is broken");
    EXPECT_TRUE(w.agent().signals.empty());
}

}    // namespace
}    // namespace caisson
