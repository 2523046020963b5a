#include "tests/core/runtime/runtime_world.hpp"

#include "adapters/host/run_directory.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

class RuntimeProbe : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_run(GetParam()))
            GTEST_SKIP() << *reason;
    }
};

task<> until_it_has_a_sandbox(runtime_world* world)
{
    for (;;) {
        std::size_t containers = 0;
        if (world->is_over_stdio())
            containers = co_await world->count_containers();
        if (containers > 0 || !run_directory::list(world->data_dir() + "/run").empty())
            co_return;
        co_await world->time().wait_for(std::chrono::milliseconds(1));
    }
}

/// A server may stop right after its start.
TEST_P(RuntimeProbe, ThatIsCancelledLeavesNothing)
{
    in_world(GetParam(), [](runtime_world& world) {
        auto either = race(world.rt().probe(), until_it_has_a_sandbox(&world));
        EXPECT_EQ(world.run(std::move(either)).index(), 1u);
        EXPECT_EQ(world.groups().sandbox_names().size(), 0u);
        EXPECT_EQ(run_directory::list(world.data_dir() + "/run").size(), 0u);
        if (world.has_engine())
            EXPECT_EQ(world.run(world.count_containers()), 0u);
        world.run(world.rt().probe());
        EXPECT_TRUE(world.rt().capabilities().available) << world.rt().capabilities().unavailable_reason;
    });
}

INSTANTIATE_TEST_SUITE_P(Runtimes, RuntimeProbe,
    ::testing::Values(bubblewrap_root, bubblewrap_by_bwrap, bubblewrap_other_agent, bubblewrap_v1, bubblewrap_user, docker_root,
        docker_over_stdio, gvisor, process_as_is, process_user),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson::testing
