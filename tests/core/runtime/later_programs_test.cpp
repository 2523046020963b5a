#include "tests/core/runtime/host_state.hpp"
#include "tests/core/runtime/runtime_world.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <csignal>

namespace caisson::testing {

namespace {

/// The groups of a sandbox's programs after its first, on the host's own cgroups: in which order they come and go. Limits are in
/// limits_test.cpp.
class LaterPrograms : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_limit(GetParam()))
            GTEST_SKIP() << *reason;
    }

    static std::unique_ptr<execution_group> open(sandbox& box, std::uint32_t program)
    {
        return box.open_group({.program = program}, {.memory_bytes = 16 << 20, .cpu_milli = 500, .pids = 6}).value();
    }
    /// Runs `body` in a world in which all that is made once has been made; it leaves nothing.
    static void expect_nothing_left(const std::function<void(runtime_world&)>& body)
    {
        in_world(GetParam(), [&](runtime_world& world) {
            world.destroy(*world.start());
            const host_state before(world);
            body(world);
            EXPECT_EQ(host_state(world), before);
        });
    }
};

TEST_P(LaterPrograms, MayHaveTheirGroupsBeforeTheFirst)
{
    expect_nothing_left([](runtime_world& world) {
        const auto box = world.start();
        const auto second = open(*box, 2);
        world.leave_running(*box, world.hang(), second->join_descriptors());
        const auto first = world.open_group(*box);
        EXPECT_EQ(world.run_program(*box, world.request(world.echo("first")), first->join_descriptors()).out, "first");
        EXPECT_GT(second->population(), 0U);
        EXPECT_EQ(first->population(), 0U);
        first->kill();
        EXPECT_GT(second->population(), 0U);
        world.destroy(*box);
    });
}

TEST_P(LaterPrograms, MayLoseTheirGroupWhileOthersRun)
{
    expect_nothing_left([](runtime_world& world) {
        const auto box = world.start();
        const auto second = open(*box, 2);
        const auto third = open(*box, 3);
        world.leave_running(*box, world.hang(), second->join_descriptors());
        world.leave_running(*box, world.hang(), third->join_descriptors());
        EXPECT_TRUE(world.run(second->remove()).has_value());
        EXPECT_TRUE(world.run(second->remove()).has_value()) << "a second time";
        EXPECT_GT(third->population(), 0U);
        EXPECT_EQ(world.run_program(*box, world.request(world.echo("third")), third->join_descriptors()).out, "third");
        const auto fourth = open(*box, 4);
        EXPECT_EQ(world.run_program(*box, world.request(world.echo("fourth")), fourth->join_descriptors()).out, "fourth");
        for (const auto* each : {&third, &fourth})
            EXPECT_TRUE(world.run((*each)->remove()).has_value());
        world.destroy(*box);
    });
}

TEST_P(LaterPrograms, AreFoundAndDestroyedThoughTheFirstHasEnded)
{
    expect_nothing_left([](runtime_world& world) {
        auto box = world.start();
        auto first = world.open_group(*box);
        auto second = open(*box, 2);
        world.leave_running(*box, world.hang(), second->join_descriptors());
        EXPECT_TRUE(world.run(first->remove()).has_value());
        EXPECT_GT(second->population(), 0U);
        const auto id = box->id();
        const auto state = box->runtime_state();
        first.reset();
        second.reset();
        box.reset();
        const auto found = world.run(world.rt().recover(id, state));
        ASSERT_TRUE(found.has_value()) << found.error().detail;
        world.destroy(**found);
    });
}

TEST_P(LaterPrograms, AreRemovedByARecoverThatFindsNoAgent)
{
    expect_nothing_left([](runtime_world& world) {
        auto box = world.start();
        auto second = open(*box, 2);
        world.leave_running(*box, world.hang(), second->join_descriptors());
        const auto id = box->id();
        const auto state = box->runtime_state();
        EXPECT_EQ(::kill(boost::json::parse(state).at("agent").at("pid").to_number<pid_t>(), SIGKILL), 0);
        EXPECT_NE(world.run(box->ended()), "");
        second.reset();
        box.reset();
        const auto found = world.run(world.rt().recover(id, state));
        ASSERT_TRUE(found.has_error());
        EXPECT_EQ(found.error().code, errc::gone);
    });
}

TEST_P(LaterPrograms, AreSweptWithTheirSandbox)
{
    expect_nothing_left([](runtime_world& world) {
        auto box = world.start();
        world.leave_running(*box, world.hang(), open(*box, 2)->join_descriptors());
        box.reset();
        EXPECT_EQ(world.sweep({}), 1U);
        EXPECT_EQ(world.sweep({}), 0U);
    });
}

}    // namespace

INSTANTIATE_TEST_SUITE_P(
    Runtimes, LaterPrograms, ::testing::ValuesIn(limited_cases()), [](const auto& info) { return std::string(info.param.name); });

}    // namespace caisson::testing
