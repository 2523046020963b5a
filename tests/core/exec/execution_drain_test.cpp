// What is done about a program's remains once its leader has ended.
#include "tests/core/exec/service_world.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace caisson {
namespace {

TEST(ExecutionDrain, TheAgentIsNotWokenToKillWhereNothingIsLeft)
{
    service_world w;
    const auto id = w.run();
    w.box().group_is_surely_empty = true;
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    EXPECT_EQ(w.box().group_kills, 0U);
    EXPECT_TRUE(w.agent().signals.empty());
}

/// They may have left it.
TEST(ExecutionDrain, AnEmptyGroupIsNotTheEndOfProgramsThatAreNotIsolated)
{
    service_world w;
    w.runtime.host.isolates = false;
    const auto id = w.run();
    w.box().group_is_surely_empty = true;
    w.agent().exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    ASSERT_EQ(w.agent().signals.size(), 1U);
    EXPECT_EQ(w.agent().signals[0].number, unsigned{SIGKILL});
}

TEST(ExecutionDrain, AnEmptyGroupIsNotTheEndOfStreamsThatOthersHold)
{
    service_world w;
    const auto id = w.run();
    w.box().group_is_surely_empty = true;
    w.agent().exit_leaving_a_child(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    ASSERT_EQ(w.agent().signals.size(), 1U);
    EXPECT_EQ(w.agent().signals[0].number, unsigned{SIGKILL});
}

}    // namespace
}    // namespace caisson
