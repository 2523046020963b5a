#include "tests/core/runtime/host_state.hpp"
#include "tests/core/runtime/runtime_world.hpp"

#include "adapters/host/run_directory.hpp"
#include "adapters/mock/mock_runtime.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
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
    if (world.is_over_stdio()) {
        docker::containers engine(world.engine());
        const auto id = std::string(boost::json::parse(box.runtime_state()).at("container").as_string());
        EXPECT_TRUE(world.run(engine.kill(id, "SIGKILL", world.engine().deadline())).has_value());
        return;
    }
    const auto pid = boost::json::parse(box.runtime_state()).at("agent").at("pid").to_number<pid_t>();
    EXPECT_EQ(::kill(pid, SIGKILL), 0);
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
        EXPECT_EQ(world.rt().traits().isolates, found.isolates);
        EXPECT_TRUE(found.available) << found.unavailable_reason;
        EXPECT_EQ(found.unavailable_reason, "");
        EXPECT_EQ(found.isolates, world.confines());
        EXPECT_EQ(found.enforces_disk, world.confines());
        if (world.kind() != runtime_kind::mock && !world.is_over_stdio())
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
        const std::string from_outside = world.kind() == runtime_kind::docker
                                             ? ": the container was killed from outside, or by the engine as it stopped (exit 137)"
                                             : "";
        auto ended = box->ended();
        if (world.is_over_stdio())    // which of the two is said depends on whether the kill itself was seen
            EXPECT_THAT(world.run(std::move(ended)), ::testing::HasSubstr("the container was killed from outside"));
        else
            EXPECT_EQ(world.run(std::move(ended)), "the agent was killed by signal 9" + from_outside);
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
        const auto group = world.open_group(*box);
        const auto paused = world.run(box->pause());
        if (!world.rt().capabilities().pauses) {
            ASSERT_TRUE(paused.has_error());
            EXPECT_EQ(paused.error().code, errc::not_implemented);
            return world.destroy(*box);
        }
        ASSERT_TRUE(paused.has_value()) << paused.error().detail;
        auto connected = world.run(box->connect());
        EXPECT_EQ(connected.has_value(), !world.is_over_stdio()) << "an engine freezes the agent too";
        if (connected.has_error())
            EXPECT_EQ(connected.error().code, errc::timed_out) << "worth another try";
        connected = error{};    // where the agent comes to the server it has one at a time
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

/// Of this host's own processes: elsewhere the server hears of the end over the link only.
TEST_P(RuntimeContract, AClaimOfOneWhoseAgentIsGoneIsRefused)
{
    in_world(GetParam(), [](runtime_world& world) {
        if (world.kind() == runtime_kind::mock || world.is_over_stdio())
            return;
        const auto box = world.start();
        const auto limits = world.spec().limits;
        auto ahead = box->open_group(first_program_group, {limits.memory_bytes, limits.cpu_milli, limits.pids});
        ASSERT_TRUE(ahead.has_value()) << ahead.error().detail;
        kill_agent(world, *box);
        EXPECT_NE(world.run(box->ended()), "");
        const auto claimed = box->claim(limits, **ahead);
        ASSERT_TRUE(claimed.has_error());
        EXPECT_EQ(claimed.error().code, errc::runtime_unavailable);
        world.destroy(*box);
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
    ::testing::Values(bubblewrap_root, bubblewrap_by_bwrap, bubblewrap_other_agent, bubblewrap_v1, bubblewrap_user, docker_root, docker_v1,
        docker_over_stdio, gvisor, process_as_is, process_user, mock_as_is),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace caisson::testing
