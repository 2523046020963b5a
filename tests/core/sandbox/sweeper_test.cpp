#include "tests/core/sandbox/sweeper_world.hpp"

namespace caisson::sweeping {
namespace {

TEST_F(Sweeper, RemovesASandboxWithoutARecord)
{
    leave();
    start();
    EXPECT_TRUE(started && started->has_value());
    EXPECT_FALSE(is_there(0));
    EXPECT_EQ(sweeps.totals().removed, 1U);
}

TEST_F(Sweeper, KeepsWhatAnUnfinishedExecutionIsRecordedWith)
{
    for (auto now : {status::queued, status::running}) {
        const auto id = leave();
        record(id);
        need(id, now);
    }
    start();
    again();
    EXPECT_TRUE(is_there(0) && is_there(1));
    EXPECT_EQ(get(sandboxes.alive())->size(), 2U);
    EXPECT_EQ(sweeps.totals().sweeps, 2U);
}

TEST_F(Sweeper, RemovesWhatAFinishedExecutionLeftAndEndsItsRecord)
{
    const auto id = leave();
    record(id);
    need(id, status::success);
    start();
    EXPECT_FALSE(is_there(0));
    const auto& row = sandboxes.row(id);
    EXPECT_EQ(row.state, sandbox_state::destroyed);
    EXPECT_EQ(row.cause, "swept: its holder did not need it any more");
    EXPECT_EQ(row.runtime_state, "");
    EXPECT_EQ(row.ended_at_ms, time.now_ms());
}

TEST_F(Sweeper, KeepsASandboxOfAHolderThatItCannotAsk)
{
    const auto id = leave();
    sandbox_row row{.id = id, .tenant = tenant, .holder = {holder_kind::tenant, tenant.str()}, .runtime = "fake"};
    row.state = sandbox_state::paused;
    ASSERT_TRUE(get(sandboxes.insert(row)).has_value());
    start();
    again();
    EXPECT_TRUE(is_there(0));
    EXPECT_EQ(sandboxes.row(id).state, sandbox_state::paused);
    EXPECT_EQ(sweeps.totals().failing, 0U);
}

TEST_F(Sweeper, AsksTheHolderOfEachKind)
{
    struct tenants : sandbox_holder {
        task<result<std::vector<sandbox_id>>> sandboxes_held() override { co_return needed; }
        std::vector<sandbox_id> needed;
    } all_tenants;
    const auto kept = leave();
    const auto given_up = leave();
    for (const auto& id : {kept, given_up})
        ASSERT_TRUE(
            get(sandboxes.insert({.id = id, .tenant = tenant, .holder = {holder_kind::tenant, ""}, .runtime = "fake"})).has_value());
    all_tenants.needed = {kept};
    sweeper asking(services, {{holder_kind::execution, &holder}, {holder_kind::tenant, &all_tenants}}, rules);
    asio::co_spawn(context, asking.start(), [](std::exception_ptr, const result<void>&) { });
    turn();
    EXPECT_TRUE(is_there(0));
    EXPECT_FALSE(is_there(1));
    begin(asking.stop());
}

TEST_F(Sweeper, EndsARecordOfWhichNothingIsThere)
{
    const auto id = ids.make<sandbox_id>();
    record(id);
    start();
    EXPECT_EQ(sandboxes.row(id).state, sandbox_state::destroyed);
    EXPECT_EQ(sandboxes.row(id).cause, "swept: nothing of it was there any more");
    EXPECT_EQ(sweeps.totals().removed, 0U);
}

TEST_F(Sweeper, EndsARecordOfARuntimeThatIsNotThereAnyMore)
{
    const auto id = ids.make<sandbox_id>();
    record(id, "docker");
    start();
    EXPECT_EQ(sandboxes.row(id).state, sandbox_state::destroyed);
}

TEST_F(Sweeper, NeverEndsAnExecution)
{
    const auto id = ids.make<sandbox_id>();
    record(id);
    const auto row = need(id);
    start();
    again();
    EXPECT_EQ(executions.row(row.id).status, status::running) << "who holds its sandbox ends it";
    EXPECT_EQ(sandboxes.row(id).state, sandbox_state::running);
}

TEST_F(Sweeper, TriesAgainEachTimeAndSaysItOnce)
{
    leave();
    for (int i = 0; i < 3; ++i)
        runtime.fail_next(call::remove_left_over, busy);
    start();
    EXPECT_EQ(sweeps.totals().failing, 1U);
    again();
    again();
    EXPECT_TRUE(is_there(0));
    EXPECT_EQ(log.of("could not be removed; each sweep"), 1);
    again();
    EXPECT_FALSE(is_there(0));
    EXPECT_EQ(sweeps.totals().failing, 0U);
    EXPECT_EQ(log.of("could not be removed before is gone"), 1);
}

TEST_F(Sweeper, WhatFailedIsTriedAgainSoonAndThenSeldom)
{
    leave();
    for (int i = 0; i < 20; ++i)
        runtime.fail_next(call::remove_left_over, busy);
    start();
    std::vector<std::size_t> after;
    for (int second = 0; second < 160; ++second) {
        time.advance(1s);
        turn();
        after.push_back(sweeps.totals().sweeps);
    }
    EXPECT_EQ(after[0], 2U);
    EXPECT_EQ(after[2], 3U) << "2 s later";
    EXPECT_EQ(after[5], 3U);
    EXPECT_EQ(after[6], 4U) << "4 s later";
    EXPECT_EQ(after[62], 7U) << "after 1, 2, 4, 8, 16 and 32 s";
    EXPECT_EQ(after[121], 7U) << "never later than the interval, and not sooner";
    EXPECT_EQ(after[122], 8U);
}

TEST_F(Sweeper, WhatIsLeftBehindIsLookedForInASecond)
{
    start();
    time.advance(10s);
    turn();
    leave();
    sweeps.soon();
    turn();
    EXPECT_EQ(sweeps.totals().sweeps, 1U);
    time.advance(1s);
    turn();
    EXPECT_EQ(sweeps.totals().sweeps, 2U);
    EXPECT_FALSE(is_there(0));
    time.advance(interval - 1s);
    turn();
    EXPECT_EQ(sweeps.totals().sweeps, 2U) << "one request, one sweep";
}

TEST_F(Sweeper, WhatIsAskedWhileASweepRunsIsNotForgotten)
{
    runtime.gate_of(call::left_overs).cork();
    start();
    sweeps.soon();
    runtime.gate_of(call::left_overs).uncork();
    turn();
    time.advance(1s);
    turn();
    EXPECT_EQ(sweeps.totals().sweeps, 2U);
}

TEST_F(Sweeper, WhatSticksComesAfterTheRest)
{
    leave();
    runtime.throw_next(call::remove_left_over, "stuck");
    start();
    EXPECT_TRUE(is_there(0));
    leave();
    runtime.let_pass(call::remove_left_over);
    runtime.fail_next(call::remove_left_over, busy);
    again();
    EXPECT_TRUE(is_there(0));
    EXPECT_FALSE(is_there(1)) << "the new one was tried first";
}

TEST_F(Sweeper, WhatWentAwayByItselfIsForgotten)
{
    leave();
    runtime.fail_next(call::remove_left_over, busy);
    start();
    EXPECT_EQ(sweeps.totals().failing, 1U);
    runtime.box(0).destroyed = true;
    again();
    EXPECT_EQ(sweeps.totals().failing, 0U);
}

TEST_F(Sweeper, ARecordThatCannotBeEndedIsTriedAgain)
{
    const auto id = leave();
    record(id);
    sandboxes.let_pass(1);    // alive()
    sandboxes.throw_next("disk is full");
    start();
    EXPECT_FALSE(is_there(0));
    EXPECT_EQ(sandboxes.row(id).state, sandbox_state::running);
    EXPECT_EQ(sweeps.totals().failing, 1U);
    again();
    EXPECT_EQ(sandboxes.row(id).state, sandbox_state::destroyed);
    EXPECT_EQ(sweeps.totals().failing, 0U);
}

TEST_F(Sweeper, WithoutItsRecordsItRemovesNothing)
{
    leave();
    executions.fail_next(broken);
    start();
    ASSERT_TRUE(started && started->has_error());
    EXPECT_EQ(started->error().detail, "disk is broken");
    EXPECT_TRUE(is_there(0));
    sandboxes.fail_next(broken);
    again();
    EXPECT_TRUE(is_there(0));
    again();
    EXPECT_FALSE(is_there(0));
}

TEST_F(Sweeper, ARuntimeThatCannotBeListedHoldsUpNothingElse)
{
    testing::fake_runtime other;
    sources.runtimes["another"] = &other;
    other.throw_next(call::left_overs, "no /proc");
    leave();
    start();
    EXPECT_FALSE(is_there(0));
    EXPECT_EQ(sweeps.totals().failing, 1U);
    again();
    EXPECT_EQ(sweeps.totals().failing, 0U);
}

TEST_F(Sweeper, TheStartDoesNotWaitForeverForIt)
{
    runtime.gate_of(call::left_overs).cork();
    start();
    EXPECT_FALSE(started);
    time.advance(5s);
    turn();
    EXPECT_TRUE(started && started->has_value());
    leave();
    runtime.gate_of(call::left_overs).uncork();
    turn();
    again();
    EXPECT_FALSE(is_there(0));
}

TEST_F(Sweeper, WithoutAnIntervalItSweepsOnce)
{
    rules.interval.reset();
    start();
    leave();
    again();
    EXPECT_TRUE(is_there(0));
    EXPECT_EQ(sweeps.totals().sweeps, 1U);
}

TEST_F(Sweeper, StopsInTheMiddleAndTheNextOneGoesOn)
{
    leave();
    runtime.gate_of(call::remove_left_over).cork();
    start();
    time.advance(5s);    // start() waits no longer
    turn();
    begin(sweeps.stop());
    EXPECT_EQ(time.waiting(), 0U);
    EXPECT_TRUE(is_there(0));
    runtime.gate_of(call::remove_left_over).uncork();
    sweeper next(services, {{holder_kind::execution, &holder}}, rules);
    asio::co_spawn(context, next.start(), [](std::exception_ptr, const result<void>&) { });
    turn();
    EXPECT_FALSE(is_there(0));
    begin(next.stop());
}

TEST_F(Sweeper, ErasesRecordsADayAfterTheirEndInBatches)
{
    constexpr int many = 1'203;
    for (int i = 0; i < many; ++i) {
        const auto id = ids.make<sandbox_id>();
        record(id);
        ASSERT_TRUE(get(sandboxes.update(id, sandbox_state::destroyed, "", "", time.now_ms() - 1)).has_value());
    }
    const auto living = leave();
    record(living);
    need(living);
    start();
    EXPECT_EQ(sandboxes.size(), many + 1U);
    time.advance(24h);
    turn();
    EXPECT_EQ(sandboxes.size(), 1U);
}

TEST_F(Sweeper, DoesItsChoresAndSaysWhatFails)
{
    int done = 0;
    const auto chore = [&done](result<std::size_t> outcome) {
        return [&done, outcome] {
            ++done;
            return [](result<std::size_t> value) -> task<result<std::size_t>> { co_return value; }(outcome);
        };
    };
    rules.chores = {{"uid locks", chore(std::size_t{3})}, {"temporary files", chore(busy)}};
    start();
    again();
    EXPECT_EQ(done, 4);
    EXPECT_EQ(sweeps.totals().removed, 6U);
    EXPECT_EQ(sweeps.totals().failing, 1U);
    EXPECT_EQ(log.of("could not be removed; each sweep"), 1);
}

}    // namespace
}    // namespace caisson::sweeping
