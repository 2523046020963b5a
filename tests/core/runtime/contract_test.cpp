#include "tests/core/runtime/runtime_world.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

    /// What every runtime promises, whatever stands behind it.
    class RuntimeContract : public ::testing::TestWithParam<runtime_case> {
    protected:
        void SetUp() override
        {
            if (const auto reason = cannot_run(GetParam()))
                GTEST_SKIP() << *reason;
        }
    };

    TEST_P(RuntimeContract, ProbeFindsItAvailable)
    {
        in_world(GetParam(), [](runtime_world& world) {
            world.run(world.rt().probe());
            const auto& found = world.rt().capabilities();
            EXPECT_TRUE(found.available) << found.unavailable_reason;
            EXPECT_EQ(found.unavailable_reason, "");
            EXPECT_EQ(found.isolates, world.kind() == runtime_kind::bubblewrap);
            for (const auto& each : found.degraded)
                EXPECT_FALSE(each.reason.empty() || each.remedy.empty()) << each.control;
        });
    }

    TEST_P(RuntimeContract, RunsAProgram)
    {
        in_world(GetParam(), [](runtime_world& world) {
            const auto box = world.start();
            const auto outcome = world.run_program(*box, world.echo("hello"));
            EXPECT_EQ(outcome.out, "hello") << outcome.err;
            ASSERT_TRUE(outcome.exit);
            EXPECT_EQ(outcome.exit->wait_status, 0);
            world.destroy(*box);
        });
    }

    TEST_P(RuntimeContract, RunsSeveralOneAfterTheOther)
    {
        in_world(GetParam(), [](runtime_world& world) {
            const auto box = world.start();
            EXPECT_EQ(world.run_program(*box, world.echo("one")).out, "one");
            EXPECT_EQ(world.run_program(*box, world.echo("two")).out, "two");
            world.destroy(*box);
        });
    }

}    // namespace

INSTANTIATE_TEST_SUITE_P(Runtimes, RuntimeContract,
    ::testing::Values(runtime_case{"bubblewrap_root", runtime_kind::bubblewrap, true}, runtime_case{"bubblewrap_user", runtime_kind::bubblewrap, false},
        runtime_case{"process", runtime_kind::process, false}, runtime_case{"mock", runtime_kind::mock, false}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace caisson::testing
