#include "tests/core/runtime/runtime_world.hpp"

#include "core/adapters/mock/mock_runtime.hpp"
#include "core/adapters/spawn/process.hpp"
#include "core/adapters/spawn/run_directory.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>

namespace caisson::testing {

namespace {

using namespace std::chrono_literals;

/// What every runtime promises, whatever stands behind it.
class RuntimeContract : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_run(GetParam()))
            GTEST_SKIP() << *reason;
    }
};

/// Kills the agent as the kernel or an operator would.
void kill_agent(runtime_world& world, const sandbox& box)
{
    if (world.kind() == runtime_kind::mock) {
        EXPECT_TRUE(static_cast<mock_runtime&>(world.rt()).kill_agent(box.id()));
        return;
    }
    const auto pid = boost::json::parse(box.runtime_state()).at("agent").at("pid").to_number<pid_t>();
    EXPECT_EQ(::kill(pid, SIGKILL), 0);
}

/// What a sandbox could leave behind, counted.
struct host_state {
    explicit host_state(runtime_world& world)
        : descriptors(count("/proc/self/fd"))
        , children(children_of(::getpid()).size())
        , run_directories(run_directory::list(world.data_dir()).size())
    {
        groups = world.groups().sandbox_names().size();
        std::ifstream lines("/proc/self/mountinfo");
        for (std::string line; std::getline(lines, line);)
            ++mounts;
        if (std::filesystem::exists(world.uid_lock_dir()))
            uid_locks = count(world.uid_lock_dir());
    }
    static std::size_t count(const std::string& directory)
    {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
    }
    bool operator==(const host_state&) const = default;

    std::size_t descriptors;
    std::size_t children;
    std::size_t run_directories;
    std::size_t groups = 0;
    std::size_t mounts = 0;
    std::size_t uid_locks = 0;
};

void PrintTo(const host_state& seen, std::ostream* out)
{
    *out << seen.descriptors << " descriptors, " << seen.children << " children, " << seen.run_directories << " run directories, "
         << seen.groups << " groups, " << seen.mounts << " mounts, " << seen.uid_locks << " uid locks";
}

/// Once everything that is made once has been made.
void warm_up(runtime_world& world)
{
    const auto box = world.start();
    world.run_program(*box, world.echo("warm"));
    world.destroy(*box);
}

TEST_P(RuntimeContract, ProbeFindsItAvailable)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto known = world.rt().capabilities();
        world.run(world.rt().probe());
        const auto& found = world.rt().capabilities();
        EXPECT_EQ(known.enforces_memory, found.enforces_memory) << "known without trying";
        EXPECT_EQ(known.enforces_pids, found.enforces_pids) << "known without trying";
        EXPECT_EQ(world.rt().isolates(), found.isolates);
        EXPECT_TRUE(found.available) << found.unavailable_reason;
        EXPECT_EQ(found.unavailable_reason, "");
        EXPECT_EQ(found.isolates, world.kind() == runtime_kind::bubblewrap);
        EXPECT_EQ(found.enforces_disk, world.kind() == runtime_kind::bubblewrap);
        if (world.kind() != runtime_kind::mock)
            EXPECT_EQ(found.enforces_memory, world.groups().controls(cgroup_control::memory));
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

TEST_P(RuntimeContract, ConnectFailsBeforeTheStart)
{
    in_world(GetParam(), [](runtime_world& world) {
        auto created = world.run(world.rt().create(world.spec()));
        ASSERT_TRUE(created.has_value()) << created.error().detail;
        const auto connected = world.run((*created)->connect());
        ASSERT_TRUE(connected.has_error());
        EXPECT_EQ(connected.error().code, errc::runtime_unavailable);
        world.destroy(**created);
    });
}

TEST_P(RuntimeContract, GroupKillEndsAProgram)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto group = world.open_group(*box);
        if (group->join_descriptors().empty() && world.kind() != runtime_kind::mock)
            return world.destroy(*box);    // no groups here: capabilities say so
        const auto outcome = world.run_until(*box, world.hang(), *group, [&] { return group->population() > 0; });
        ASSERT_TRUE(outcome.exit);
        EXPECT_EQ(outcome.exit->wait_status, SIGKILL);
        EXPECT_EQ(group->population(), 0U);
        EXPECT_TRUE(world.run(group->remove()).has_value());
        EXPECT_TRUE(world.run(group->remove()).has_value()) << "a second time";
        world.destroy(*box);
    });
}

TEST_P(RuntimeContract, DestroyLeavesNothing)
{
    in_world(GetParam(), [](runtime_world& world) {
        warm_up(world);
        const host_state before(world);
        {
            const auto box = world.start();
            const auto group = world.open_group(*box);
            world.run_program(*box, world.request(world.echo("x")), group->join_descriptors());
            world.destroy(*box);
            world.destroy(*box);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(RuntimeContract, DestroyBeforeTheStartLeavesNothing)
{
    in_world(GetParam(), [](runtime_world& world) {
        warm_up(world);
        const host_state before(world);
        {
            auto created = world.run(world.rt().create(world.spec()));
            ASSERT_TRUE(created.has_value()) << created.error().detail;
            world.destroy(**created);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(RuntimeContract, DestroyEndsAProgramThatRuns)
{
    in_world(GetParam(), [](runtime_world& world) {
        warm_up(world);
        const host_state before(world);
        {
            const auto box = world.start();
            const auto group = world.open_group(*box);
            world.leave_running(*box, world.hang(), group->join_descriptors());
            world.destroy(*box);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(RuntimeContract, EndedSaysThatTheAgentWasKilled)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        kill_agent(world, *box);
        EXPECT_EQ(world.run(box->ended()), "the agent was killed by signal 9");
        const auto connected = world.run(box->connect());
        ASSERT_TRUE(connected.has_error());
        EXPECT_EQ(connected.error().code, errc::runtime_unavailable);
        world.destroy(*box);
    });
}

TEST_P(RuntimeContract, StopEndsItAndMayBeRepeated)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        auto ended = box->ended();
        EXPECT_TRUE(world.run(box->stop()).has_value());
        EXPECT_TRUE(world.run(box->stop()).has_value());
        EXPECT_NE(world.run(std::move(ended)), "");
        world.destroy(*box);
    });
}

TEST_P(RuntimeContract, PausedProgramsStandStillAndTheAgentAnswers)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.run(world.rt().probe());
        const auto box = world.start();
        const auto paused = world.run(box->pause());
        if (!world.rt().capabilities().pauses) {
            ASSERT_TRUE(paused.has_error());
            EXPECT_EQ(paused.error().code, errc::not_implemented);
            return world.destroy(*box);
        }
        ASSERT_TRUE(paused.has_value()) << paused.error().detail;
        EXPECT_TRUE(world.run(box->connect()).has_value());
        EXPECT_TRUE(world.run(box->resume()).has_value());
        EXPECT_EQ(world.run_program(*box, world.echo("again")).out, "again");
        world.destroy(*box);
    });
}

TEST_P(RuntimeContract, APausedSandboxCanBeDestroyed)
{
    in_world(GetParam(), [](runtime_world& world) {
        warm_up(world);
        const host_state before(world);
        {
            const auto box = world.start();
            const auto group = world.open_group(*box);
            world.leave_running(*box, world.hang(), group->join_descriptors());
            (void)world.run(box->pause());
            world.destroy(*box);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(RuntimeContract, RecoverFindsWhatStillRuns)
{
    in_world(GetParam(), [](runtime_world& world) {
        warm_up(world);
        const host_state before(world);
        {
            auto box = world.start();
            const auto id = box->id();
            const auto state = box->runtime_state();
            box.reset();
            auto found = world.run(world.rt().recover(id, state));
            ASSERT_TRUE(found.has_value()) << found.error().detail;
            EXPECT_EQ((*found)->id(), id);
            EXPECT_EQ(world.run_program(**found, world.echo("still here")).out, "still here");
            world.destroy(**found);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(RuntimeContract, RecoverOfADeadOneIsGoneAndRemovesWhatIsLeft)
{
    in_world(GetParam(), [](runtime_world& world) {
        warm_up(world);
        const host_state before(world);
        {
            auto box = world.start();
            const auto id = box->id();
            const auto state = box->runtime_state();
            kill_agent(world, *box);
            world.run(box->ended());
            box.reset();
            const auto found = world.run(world.rt().recover(id, state));
            ASSERT_TRUE(found.has_error());
            EXPECT_EQ(found.error().code, errc::gone);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(RuntimeContract, RecoverOfAnUnknownOneIsGone)
{
    in_world(GetParam(), [](runtime_world& world) {
        for (const char* state : {"", "{}", "nonsense"}) {
            const auto found = world.run(world.rt().recover(world.spec().id, state));
            ASSERT_TRUE(found.has_error());
            EXPECT_EQ(found.error().code, errc::gone) << state;
        }
    });
}

TEST_P(RuntimeContract, SweepRemovesOrphansOnly)
{
    in_world(GetParam(), [](runtime_world& world) {
        warm_up(world);
        const host_state before(world);
        {
            const auto held = world.start();
            auto kept = world.start();
            const auto kept_id = kept->id();
            const auto kept_state = kept->runtime_state();
            kept.reset();
            world.start().reset();
            EXPECT_EQ(world.sweep({kept_id}), 1U);
            EXPECT_EQ(world.sweep({kept_id}), 0U);
            EXPECT_EQ(world.run_program(*held, world.echo("held")).out, "held");
            auto found = world.run(world.rt().recover(kept_id, kept_state));
            ASSERT_TRUE(found.has_value()) << found.error().detail;
            world.destroy(**found);
            world.destroy(*held);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(RuntimeContract, WhatSomebodyHoldsIsNoLeftOver)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        EXPECT_TRUE(world.run(world.rt().left_overs())->empty());
        const auto removed = world.run(world.rt().remove_left_over(box->id(), box->runtime_state()));
        ASSERT_TRUE(removed.has_error());
        EXPECT_EQ(removed.error().code, errc::conflict);
        EXPECT_EQ(world.run_program(*box, world.echo("untouched")).out, "untouched");
        world.destroy(*box);
    });
}

TEST_P(RuntimeContract, RemovingALeftOverIsIdempotent)
{
    in_world(GetParam(), [](runtime_world& world) {
        warm_up(world);
        const host_state before(world);
        {
            auto box = world.start();
            const auto id = box->id();
            const auto state = box->runtime_state();
            box.reset();
            EXPECT_EQ(*world.run(world.rt().left_overs()), std::vector{id});
            EXPECT_EQ(*world.run(world.rt().left_overs()), std::vector{id}) << "looking changes nothing";
            for (int i = 0; i < 2; ++i) {
                const auto removed = world.run(world.rt().remove_left_over(id, state));
                EXPECT_TRUE(removed.has_value()) << removed.error().detail;
                EXPECT_TRUE(world.run(world.rt().left_overs())->empty());
            }
            EXPECT_TRUE(world.run(world.rt().remove_left_over(world.spec().id, "nonsense")).has_value())
                << "of an unknown one nothing is there";
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(RuntimeContract, TwoSandboxesAreApart)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto first = world.start();
        const auto second = world.start();
        EXPECT_NE(first->id(), second->id());
        world.destroy(*first);
        EXPECT_EQ(world.run_program(*second, world.echo("second")).out, "second");
        world.destroy(*second);
    });
}

}    // namespace

INSTANTIATE_TEST_SUITE_P(Runtimes, RuntimeContract,
    ::testing::Values(bubblewrap_root, bubblewrap_v1, bubblewrap_user, process_as_is, process_user, mock_as_is),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace caisson::testing
