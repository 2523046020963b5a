#include "adapters/host/local_sandbox.hpp"
#include "tests/core/runtime/host_state.hpp"
#include "tests/core/runtime/runtime_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace caisson::testing {

namespace {

/// What the groups of a runtime enforce and measure, where the host has them. Every case runs a real program.
class RuntimeLimits : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_limit(GetParam()))
            GTEST_SKIP() << *reason;
    }
};

std::vector<std::string> python(const std::string& program) { return {"/usr/bin/python3", "-c", program}; }

TEST_P(RuntimeLimits, AllocatingFourGigabytesIsAnOomKill)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto group = world.open_group(*box);
        const auto outcome =
            world.run_program(*box, world.request(python("x = bytearray(4 << 30)\nprint('had it')")), group->join_descriptors());
        ASSERT_TRUE(outcome.exit) << outcome.err;
        EXPECT_EQ(outcome.exit->wait_status, SIGKILL);
        EXPECT_EQ(outcome.out, "");
        const auto usage = group->usage();
        EXPECT_GT(usage.oom_kills, 0);
        ASSERT_TRUE(usage.memory_peak_bytes);
        EXPECT_GT(*usage.memory_peak_bytes, 32 << 20);
        EXPECT_LE(*usage.memory_peak_bytes, 68 << 20) << "memory and disk of the sandbox";
        EXPECT_EQ(world.run_program(*box, world.echo("next")).out, "next") << "the agent must not be the victim";
        world.destroy(*box);
    });
}

TEST_P(RuntimeLimits, AChildsOomIsSeenThoughItsParentGoesOn)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto group = world.open_group(*box);
        const auto killed =
            world.run_until(*box, python("import os, time\nif os.fork() == 0:\n x = bytearray(4 << 30)\nos.wait()\ntime.sleep(1000)"),
                *group, [&] { return group->usage().oom_kills > 0; });
        ASSERT_TRUE(killed.exit) << killed.err;
        EXPECT_EQ(killed.exit->wait_status, SIGKILL);
        EXPECT_TRUE(world.run(group->remove()).has_value());
        EXPECT_EQ(group->population(), 0U);
        world.destroy(*box);
    });
}

TEST_P(RuntimeLimits, AForkBombIsRefusedAndKilledAtOnce)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto group = world.open_group(*box);
        const auto outcome = world.run_until(*box, python("import os\nwhile True:\n try: os.fork()\n except OSError: pass"), *group,
            [&] { return group->usage().pids_refused > 0 && group->population() >= 32; });
        ASSERT_TRUE(outcome.exit) << outcome.err;
        EXPECT_EQ(outcome.exit->wait_status, SIGKILL);
        const auto usage = group->usage();
        EXPECT_GT(usage.pids_refused, 0);
        if (usage.pids_peak)
            EXPECT_EQ(*usage.pids_peak, 32);
        EXPECT_TRUE(world.run(group->remove()).has_value());
        EXPECT_EQ(world.run_program(*box, world.echo("next")).out, "next");
        world.destroy(*box);
    });
}

TEST_P(RuntimeLimits, CpuTimeIsMeasuredAndHeldBack)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        auto group = box->open_group(first_program_group, {.memory_bytes = 32 << 20, .cpu_milli = 200, .pids = 8});
        ASSERT_TRUE(group.has_value()) << group.error().detail;
        const auto begin = world.time().steady_now();
        const auto outcome =
            world.run_program(*box, world.request(python("import time\nend = time.monotonic() + 0.5\nwhile time.monotonic() < end: pass")),
                (*group)->join_descriptors());
        const std::int64_t took_us = std::chrono::duration_cast<std::chrono::microseconds>(world.time().steady_now() - begin).count();
        ASSERT_TRUE(outcome.exit) << outcome.err;
        const auto usage = (*group)->usage();
        ASSERT_TRUE(usage.cpu_us);
        EXPECT_GT(*usage.cpu_us, 20'000);
        constexpr std::int64_t periods_us = 40'000;    // the quota of the first and of the last period, whole
        EXPECT_LT(*usage.cpu_us, took_us / 5 + periods_us + took_us / 20) << "a fifth of a core";
        world.destroy(*box);
    });
}

TEST_P(RuntimeLimits, AFoundGroupKeepsItsReadings)
{
    in_world(GetParam(), [](runtime_world& world) {
        auto box = world.start();
        auto group = world.open_group(*box);
        world.run_program(*box, world.request(python("x = bytearray(16 << 20)")), group->join_descriptors());
        const auto peak = group->usage().memory_peak_bytes;
        ASSERT_TRUE(peak);
        group.reset();
        const auto id = box->id();
        const auto state = box->runtime_state();
        box.reset();
        auto found = world.run(world.rt().recover(id, state));
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(world.open_group(**found)->usage().memory_peak_bytes, peak);
        world.destroy(**found);
    });
}

TEST_P(RuntimeLimits, AFrozenProgramUsesNoTime)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto group = world.open_group(*box);
        world.leave_running(*box, python("while True: pass"), group->join_descriptors());
        ASSERT_TRUE(world.run(box->pause()).has_value());
        const auto before = group->usage().cpu_us;
        world.run(world.time().wait_for(std::chrono::milliseconds(50)));
        EXPECT_EQ(group->usage().cpu_us, before);
        group->kill();
        while (group->population() > 0)
            world.run(world.time().wait_for(std::chrono::milliseconds(1)));
        world.destroy(*box);
    });
}

TEST_P(RuntimeLimits, AGroupThatWasWishedForIsHandedOutAfterTheStart)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());    // what is made once has been made
        const host_state before(world);
        for (const bool is_asked_for : {true, false}) {
            auto created = world.run(world.rt().create(world.spec()));
            ASSERT_TRUE(created.has_value()) << created.error().detail;
            auto& box = **created;
            const auto limits = world.spec().limits;
            box.make_group_at_start({limits.memory_bytes, limits.cpu_milli, limits.pids});
            const auto started = world.run(world.rt().start(box));
            ASSERT_TRUE(started.has_value()) << started.error().detail;
            if (is_asked_for) {
                const auto group = world.open_group(box);
                world.leave_running(box, world.hang(), group->join_descriptors());
                EXPECT_GT(group->population(), 0u);
                EXPECT_EQ(world.open_group(box)->population(), group->population()) << "found again";
            }
            world.destroy(box);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(RuntimeLimits, AGroupIsMadeAtTheStartAndFoundAgainAfterAClaim)
{
    in_world(GetParam(), [](runtime_world& world) {
        auto created = world.run(world.rt().create(world.spec()));
        ASSERT_TRUE(created.has_value()) << created.error().detail;
        auto& box = **created;
        const auto limits = world.spec().limits;
        const group_limits of_group{limits.memory_bytes, limits.cpu_milli, limits.pids};
        box.make_group_at_start(of_group);
        ASSERT_TRUE(world.run(world.rt().start(box)).has_value());
        const auto work = world.groups().sandbox_group(box.id().str()).part(work_part);
        EXPECT_EQ(work.exists(), world.confines());
        const auto group = box.open_group(first_program_group, of_group);
        ASSERT_TRUE(group.has_value());
        EXPECT_TRUE(work.exists());
        world.leave_running(box, world.hang(), (*group)->join_descriptors());
        EXPECT_GT((*group)->population(), 0u);
        ASSERT_TRUE(box.claim(limits, **group).has_value());
        EXPECT_EQ(world.open_group(box)->population(), (*group)->population()) << "found again";
        world.destroy(box);
    });
}

constexpr group_limits of_compiler{.memory_bytes = 16 << 20, .cpu_milli = 500, .pids = 6};

TEST_P(RuntimeLimits, ACompilerIsMeasuredAndLimitedApart)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto group = world.open_group(*box);
        const auto compiler = box->open_group(first_compiler_group, of_compiler);
        ASSERT_TRUE(compiler.has_value()) << compiler.error().detail;
        const auto before = group->usage();
        const auto join = (*compiler)->join_descriptors();
        world.run_program(*box, world.request(python("keep = b'x' * (8 << 20)\nfor i in range(3000000): pass")), join);
        EXPECT_GT((*compiler)->usage().cpu_us, 0);
        EXPECT_EQ(group->usage().cpu_us, before.cpu_us);
        EXPECT_GT((*compiler)->usage().memory_peak_bytes, 8 << 20);
        EXPECT_LT(group->usage().memory_peak_bytes, 1 << 20);
        const auto forks = world.run_program(*box,
            world.request(python("import os, signal\ntry:\n for i in range(6): os.fork() or signal.pause()\nexcept OSError: "
                                 "print('refused', flush=True)\nos.killpg(0, 9)")),
            join);
        EXPECT_NE(forks.out.find("refused"), std::string::npos) << forks.out << forks.err;
        EXPECT_EQ(group->usage().pids_refused, 0);
        const auto eats = world.run_program(*box, world.request(python("keep = b'x' * (200 << 20)")), join);
        EXPECT_GT((*compiler)->usage().oom_kills, 0) << eats.err;
        EXPECT_EQ(group->usage().oom_kills, 0);
        world.destroy(*box);
    });
}

TEST_P(RuntimeLimits, ACompilerIsFrozenAndEndedApartAndRemovedWithItsSandbox)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());    // what is made once has been made
        const host_state before(world);
        {
            auto box = world.start();
            auto group = world.open_group(*box);
            auto compiler = box->open_group(first_compiler_group, of_compiler).value();
            world.leave_running(*box, python("while True: pass"), compiler->join_descriptors());
            EXPECT_GT(compiler->population(), 0u);
            EXPECT_EQ(group->population(), 0u);
            group->kill();
            ASSERT_TRUE(world.run(box->pause()).has_value());
            const auto used = compiler->usage().cpu_us;
            world.run(world.time().wait_for(std::chrono::milliseconds(50)));
            EXPECT_EQ(compiler->usage().cpu_us, used);
            const auto id = box->id();
            const auto state = box->runtime_state();
            const auto population = compiler->population();
            compiler.reset();
            group.reset();
            box.reset();
            auto found = world.run(world.rt().recover(id, state));
            ASSERT_TRUE(found.has_value()) << found.error().detail;
            EXPECT_EQ((*found)->open_group(first_compiler_group, of_compiler).value()->population(), population);
            world.destroy(**found);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

constexpr group_name second_program{.program = 2};
constexpr group_limits of_second{.memory_bytes = 16 << 20, .cpu_milli = 500, .pids = 6};

TEST_P(RuntimeLimits, ProgramsOfASandboxAreMeasuredLimitedAndKilledApart)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto first = world.open_group(*box);
        const auto second = box->open_group(second_program, of_second);
        ASSERT_TRUE(second.has_value()) << second.error().detail;
        world.leave_running(*box, world.hang(), first->join_descriptors());
        const auto before = first->usage();
        const auto join = (*second)->join_descriptors();
        world.run_program(*box, world.request(python("keep = b'x' * (8 << 20)\nfor i in range(3000000): pass")), join);
        EXPECT_GT((*second)->usage().cpu_us, 0);
        EXPECT_LT(first->usage().cpu_us.value() - before.cpu_us.value(), (*second)->usage().cpu_us.value() / 2) << "it only waits";
        EXPECT_GT((*second)->usage().memory_peak_bytes, 8 << 20);
        const auto eats = world.run_program(*box, world.request(python("keep = b'x' * (200 << 20)")), join);
        EXPECT_GT((*second)->usage().oom_kills, 0) << eats.err;
        EXPECT_EQ(first->usage().oom_kills, 0);
        world.leave_running(*box, world.hang(), join);
        EXPECT_GT((*second)->population(), 0u);
        (*second)->kill();
        while ((*second)->population() > 0)
            world.run(world.time().wait_for(std::chrono::milliseconds(1)));
        EXPECT_GT(first->population(), 0u) << "the other program runs on";
        world.destroy(*box);
    });
}

TEST_P(RuntimeLimits, GroupsOfMoreProgramsAreFrozenFoundAgainAndRemovedWithTheirSandbox)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());    // what is made once has been made
        const host_state before(world);
        {
            auto box = world.start();
            auto second = box->open_group(second_program, of_second).value();
            auto compiler = box->open_group({.program = 2, .use = group_use::compiler}, of_compiler).value();
            world.leave_running(*box, python("while True: pass"), second->join_descriptors());
            EXPECT_GT(second->population(), 0u);
            EXPECT_EQ(compiler->population(), 0u);
            ASSERT_TRUE(world.run(box->pause()).has_value());
            const auto used = second->usage().cpu_us;
            world.run(world.time().wait_for(std::chrono::milliseconds(50)));
            EXPECT_EQ(second->usage().cpu_us, used);
            const auto id = box->id();
            const auto state = box->runtime_state();
            const auto population = second->population();
            second.reset();
            compiler.reset();
            box.reset();
            auto found = world.run(world.rt().recover(id, state));
            ASSERT_TRUE(found.has_value()) << found.error().detail;
            EXPECT_EQ((*found)->open_group(second_program, of_second).value()->population(), population);
            world.destroy(**found);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

/// It may take from a group the right to fork, where the kernel does not do it by itself.
TEST_P(RuntimeLimits, AKillOfNobodyChangesNothing)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto box = world.start();
        const auto compiler = box->open_group(first_compiler_group, of_compiler).value();
        compiler->kill();
        const auto forks =
            world.run_program(*box, world.request(python("import os\nos.fork() or print('child')")), compiler->join_descriptors());
        EXPECT_EQ(forks.out, "child\n") << forks.err;
        world.destroy(*box);
    });
}

class RuntimeLauncher : public RuntimeLimits { };

TEST_P(RuntimeLauncher, ThatIsKilledIsAFailedStart)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());
        const host_state before(world);
        auto created = world.run(world.rt().create(world.spec()));
        ASSERT_TRUE(created.has_value());
        auto group = static_cast<const local_sandbox&>(**created).record().group.whole();
        ASSERT_TRUE(group.freeze().has_value());    // it comes no further than into the group
        std::atomic<bool> is_over = false;
        std::thread killer([&] {
            while (group.population() == 0 && !is_over)
                std::this_thread::yield();
            group.kill();
            EXPECT_TRUE(group.thaw().has_value());    // under the freezer of v1 nothing dies
        });
        const auto started = world.run(world.rt().start(**created));
        is_over = true;
        killer.join();
        ASSERT_TRUE(started.has_error());
        EXPECT_EQ(started.error().code, errc::runtime_unavailable);
        EXPECT_EQ(started.error().detail, "the launcher was killed by signal 9");
        world.destroy(**created);
        created->reset();
        EXPECT_EQ(host_state(world), before);
        const auto next = world.start();
        EXPECT_EQ(world.run_program(*next, world.echo("next")).out, "next");
        world.destroy(*next);
    });
}

}    // namespace

INSTANTIATE_TEST_SUITE_P(
    Runtimes, RuntimeLimits, ::testing::ValuesIn(limited_cases()), [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(Runtimes, RuntimeLauncher, ::testing::Values(bubblewrap_root, bubblewrap_v1),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace caisson::testing
