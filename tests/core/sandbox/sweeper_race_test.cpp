#include "tests/core/sandbox/sweeper_world.hpp"

namespace caisson::sweeping {
namespace {

TEST_F(Sweeper, LeavesWhatSomebodyHolds)
{
    const auto held = make();
    start();
    EXPECT_TRUE(is_there(0));
    record(held->id());    // its execution is not recorded with it yet
    again();
    EXPECT_TRUE(is_there(0));
    EXPECT_EQ(sandboxes.row(held->id()).state, sandbox_state::running);
    EXPECT_EQ(sweeps.totals().failing, 0U);
}

TEST_F(Sweeper, ASandboxMadeAfterTheListingIsNotMet)
{
    runtime.gate_of(call::left_overs).cork();
    start();
    const auto id = leave();    // made, recorded and let go while the listing is on its way
    record(id);
    need(id);
    runtime.gate_of(call::left_overs).uncork();
    turn();
    EXPECT_TRUE(is_there(0));
    EXPECT_EQ(sandboxes.row(id).state, sandbox_state::running);
}

TEST_F(Sweeper, ASandboxRecordedAfterItWasListedIsKept)
{
    const auto id = leave();
    runtime.gate_of(call::left_overs).cork();
    start();
    record(id);
    need(id);
    runtime.gate_of(call::left_overs).uncork();
    turn();
    EXPECT_TRUE(is_there(0));
}

TEST_F(Sweeper, ASandboxTakenUpAfterItWasJudgedIsLeft)
{
    const auto id = leave();
    record(id);
    runtime.gate_of(call::remove_left_over).cork();
    start();
    auto taken = get(runtime.recover(id, R"({"fake":")" + id.str() + R"("})"));
    ASSERT_TRUE(taken.has_value());
    runtime.gate_of(call::remove_left_over).uncork();
    turn();
    EXPECT_TRUE(is_there(0));
    EXPECT_EQ(sandboxes.row(id).state, sandbox_state::running);
}

TEST_F(Sweeper, OneThatIsLetGoWhileTheSweepRunsIsTheNextSweeps)
{
    auto held = make();
    runtime.gate_of(call::left_overs).cork();
    start();
    held.reset();
    runtime.gate_of(call::left_overs).uncork();
    turn();
    EXPECT_TRUE(is_there(0)) << "it was held when it was listed";
    again();
    EXPECT_FALSE(is_there(0));
}

TEST_F(Sweeper, ARecordThatItsRunnerEndsMeanwhileKeepsItsCause)
{
    const auto id = leave();
    record(id);
    runtime.gate_of(call::remove_left_over).cork();
    start();
    ASSERT_TRUE(get(sandboxes.update(id, sandbox_state::lost, "", "the host rebooted", time.now_ms())).has_value());
    runtime.gate_of(call::remove_left_over).uncork();
    turn();
    EXPECT_EQ(sandboxes.row(id).cause, "the host rebooted");
    EXPECT_EQ(sweeps.totals().failing, 0U);
}

}    // namespace
}    // namespace caisson::sweeping
