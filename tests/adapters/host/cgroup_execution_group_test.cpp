#include "adapters/host/cgroup/cgroup_execution_group.hpp"

#include "tests/adapters/host/cgroup_tree_fixture.hpp"
#include "tests/support/fake_timers.hpp"

#include <algorithm>

namespace caisson {

namespace {

class ControlGroup : public caisson::testing::cgroup_tree_fixture { };

/// One execution's group in a sandbox of root's tree.
class CgroupExecutionGroup : public caisson::testing::cgroup_tree_fixture {
protected:
    void SetUp() override
    {
        as_root.prepare();
        ASSERT_TRUE(as_root.make_sandbox_group("sbx", caisson::testing::cgroup_test_limits).has_value());
        auto opened = cgroup_execution_group::open(
            time, as_root.sandbox_group("sbx").part("work"), {.memory_bytes = 70, .pids = 3, .cpu_milli = 1, .group_oom = true});
        ASSERT_TRUE(opened.has_value()) << opened.error().detail;
        group = std::move(*opened);
    }

    static constexpr auto path = "/cg/caisson-i/sbx/work";
    asio::io_context context;
    caisson::testing::fake_timers time{context.get_executor()};
    std::unique_ptr<execution_group> group;
};

TEST_F(CgroupExecutionGroup, HasItsLimits)
{
    EXPECT_EQ(at("caisson-i/sbx/work/memory.max"), "70");
    EXPECT_EQ(at("caisson-i/sbx/work/memory.oom.group"), "1");
    EXPECT_EQ(at("caisson-i/sbx/work/pids.max"), "3");
    EXPECT_EQ(at("caisson-i/sbx/work/cpu.max"), "1000 1000000") << "the kernel wants a quota of at least a millisecond";
    EXPECT_EQ(group->join_descriptors().size(), 1U);
}

TEST_F(CgroupExecutionGroup, ReadsItsUsage)
{
    const std::string base = path;
    kernel->set(base + "/cpu.stat", "usage_usec 1234\nuser_usec 1000\n");
    kernel->set(base + "/memory.peak", "4096\n");
    kernel->set(base + "/memory.events", "oom 3\noom_kill 2\noom_group_kill 1\n");
    kernel->set(base + "/pids.events", "max 9\n");
    const auto seen = group->usage();
    EXPECT_EQ(seen.cpu_us, 1234);
    EXPECT_EQ(seen.memory_peak_bytes, 4096);
    EXPECT_EQ(seen.oom_kills, 2);
    EXPECT_EQ(seen.pids_refused, 9);
    EXPECT_EQ(seen.pids_peak, std::nullopt) << "this kernel has no pids.peak";
}

TEST_F(CgroupExecutionGroup, TellsWhetherALimitOfItsOwnEndedAProcess)
{
    const std::string base = path;
    const auto outside = [&](const char* kills, const char* met, const char* met_by_sandbox) {
        kernel->set(base + "/memory.events", kills);
        kernel->set(base + "/memory.events.local", met);
        kernel->set("/cg/caisson-i/sbx/memory.events.local", met_by_sandbox);
        return group->usage().oom_outside;
    };
    EXPECT_FALSE(outside("oom_kill 0\n", "oom 0\n", "oom 0\n")) << "nothing was killed";
    EXPECT_TRUE(outside("oom_kill 1\n", "oom 0\n", "oom 0\n"));
    EXPECT_FALSE(outside("oom_kill 1\n", "oom 1\n", "oom 0\n"));
    EXPECT_FALSE(outside("oom_kill 1\n", "oom 0\n", "oom 1\n")) << "the sandbox as a whole was at its limit";
    EXPECT_FALSE(outside("oom_kill 1\n", "", "oom 0\n")) << "nobody knows";
}

/// A sandbox's group of v1, whose work is a group below it or itself.
struct v1_usage {
    bool was_outside(const std::string& directory, const std::string& most, const std::string& most_above)
    {
        const control_group group(kernel, {{.directory = directory, .version = cgroup_version::v1, .controls = cgroup_control::memory}});
        kernel->set(directory + "/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
        kernel->set(directory + "/memory.limit_in_bytes", "40000000\n");
        kernel->set(directory + "/memory.max_usage_in_bytes", most);
        kernel->set("/cg/a/memory.limit_in_bytes", "50000000\n");
        kernel->set("/cg/a/memory.max_usage_in_bytes", most_above);
        return group.usage().oom_outside;
    }
    std::shared_ptr<caisson::testing::fake_cgroups> kernel = std::make_shared<caisson::testing::fake_cgroups>("/cg", "memory");
};

TEST(CgroupExecutionGroupOfV1, TellsWhetherALimitOfItsOwnEndedAProcess)
{
    v1_usage v1;
    EXPECT_TRUE(v1.was_outside("/cg/a/work", "30000000\n", "35000000\n"));
    EXPECT_FALSE(v1.was_outside("/cg/a/work", "39997440\n", "40000000\n"));
    EXPECT_FALSE(v1.was_outside("/cg/a/work", "30000000\n", "49999872\n")) << "the sandbox as a whole was at its limit";
    EXPECT_FALSE(v1.was_outside("/cg/a/work", "?", "30000000\n")) << "nobody knows";
    EXPECT_TRUE(v1.was_outside("/cg/a/sbx", "30000000\n", "49999872\n")) << "all sandboxes together are not one of them";
}

TEST_F(CgroupExecutionGroup, KillIsTheKernelsOwn)
{
    kernel->add_process(path, 77);
    EXPECT_EQ(group->population(), 1U);
    group->kill();
    EXPECT_EQ(group->population(), 0U);
    EXPECT_TRUE(kernel->killed.empty());
}

TEST_F(CgroupExecutionGroup, KillFallsBackToSignalsAfterForbiddingForks)
{
    kernel->refusals[std::string(path) + "/cgroup.kill"] = ENOENT;
    kernel->add_process(path, 77);
    group->kill();
    ASSERT_FALSE(kernel->killed.empty());
    EXPECT_EQ(kernel->killed.front(), 77);
    EXPECT_EQ(at("caisson-i/sbx/work/pids.max"), "0");
}

TEST_F(CgroupExecutionGroup, KillOfAnEmptyOneTouchesNothing)
{
    group->kill();
    EXPECT_EQ(at("caisson-i/sbx/work/cgroup.kill"), "");
    EXPECT_EQ(at("caisson-i/sbx/work/pids.max"), "3");
}

TEST_F(ControlGroup, WhetherAGroupIsEmptyIsKnownWhereTheFirstHierarchyTells)
{
    kernel->make_directory("/cg/a");
    kernel->make_directory("/cg/a/below");
    control_group group(kernel, {{"/cg/a", cgroup_version::v2, cgroup_control::kill}, {"/cg/b", cgroup_version::v1, cgroup_control::pids}});
    const auto population = group.population_file();
    EXPECT_TRUE(control_group::is_surely_empty(population.get()));
    kernel->add_process("/cg/a/below", 7);
    EXPECT_FALSE(control_group::is_surely_empty(population.get())) << "each look is a new reading";
    EXPECT_FALSE(group.is_surely_empty());
    EXPECT_FALSE(control_group(kernel, {{"/cg/gone", cgroup_version::v2, cgroup_control::kill}}).is_surely_empty());
    EXPECT_FALSE(control_group(kernel, {{"/cg/a", cgroup_version::v1, cgroup_control::pids}}).is_surely_empty());
    EXPECT_FALSE(control_group().is_surely_empty());
}

TEST_F(ControlGroup, IsKnownToBeEmptyOnlyIfEachHierarchyWasRead)
{
    kernel->make_directory("/cg/a");
    kernel->make_directory("/cg/a/below");
    kernel->make_directory("/cg/b");
    control_group group(kernel, {{"/cg/a", cgroup_version::v2, cgroup_control::kill}, {"/cg/b", cgroup_version::v1, cgroup_control::pids}});
    EXPECT_TRUE(group.is_known_to_be_empty());
    kernel->add_process("/cg/b", 7);
    EXPECT_FALSE(group.is_known_to_be_empty());
    kernel->set("/cg/b/cgroup.procs", "");
    EXPECT_TRUE(group.is_known_to_be_empty());
    kernel->add_process("/cg/a/below", 7);
    EXPECT_FALSE(group.is_known_to_be_empty());
    EXPECT_TRUE(control_group(kernel, {{"/cg/gone", cgroup_version::v1, cgroup_control::kill}}).is_known_to_be_empty());
    EXPECT_FALSE(control_group().is_known_to_be_empty());
}

std::vector<std::string> directories(const control_group& of)
{
    std::vector<std::string> found;
    for (const auto& member : of.members())
        found.push_back(member.directory);
    return found;
}

using paths = std::vector<std::string>;

TEST_F(ControlGroup, PartsAreGroupsOfTheirOwnWhereAHierarchyIsNotFlat)
{
    const control_group sandbox(
        kernel, {{"/cg/a", cgroup_version::v2, cgroup_control::kill}, {"/cg/b", cgroup_version::v1, cgroup_control::pids, true},
                    {"/cg/c", cgroup_version::v1, cgroup_control::memory}});
    EXPECT_EQ(directories(sandbox.part("work")), (paths{"/cg/a/work", "/cg/b", "/cg/c/work"}));
    EXPECT_EQ(directories(sandbox.own_part("work")), (paths{"/cg/a/work", "/cg/c/work"}));
    EXPECT_EQ(directories(sandbox.part("compiler")), (paths{"/cg/a/compiler", "/cg/b.compiler", "/cg/c/compiler"}));
    EXPECT_EQ(directories(sandbox.part("agent")), (paths{"/cg/a", "/cg", "/cg/c"})) << "where it is nobody's, the server's";
    EXPECT_EQ(directories(sandbox.own_part("agent")), paths{});
    EXPECT_EQ(directories(sandbox.whole()), (paths{"/cg/a", "/cg/c"}));
}

TEST_F(ControlGroup, PartsOfMoreProgramsAreApartFromThoseOfTheFirst)
{
    const control_group sandbox(
        kernel, {{"/cg/a", cgroup_version::v2, cgroup_control::kill}, {"/cg/b", cgroup_version::v1, cgroup_control::pids, true}});
    EXPECT_EQ(directories(sandbox.part("work.2")), (paths{"/cg/a/work.2", "/cg/b.programs/work.2"}));
    EXPECT_EQ(directories(sandbox.part("compiler.2")), (paths{"/cg/a/compiler.2", "/cg/b.programs/compiler.2"}));
}

TEST_F(ControlGroup, PartsOfMoreProgramsAreFoundAndRemovedWithTheirSandbox)
{
    for (const auto* each : {"/cg/a", "/cg/a/work", "/cg/b"})
        kernel->make_directory(each);
    control_group sandbox(
        kernel, {{"/cg/a", cgroup_version::v2, cgroup_control::kill}, {"/cg/b", cgroup_version::v1, cgroup_control::pids, true}});
    EXPECT_TRUE(sandbox.later_program_parts().empty());
    ASSERT_TRUE(sandbox.make_later_programs_group({}).has_value());
    ASSERT_TRUE(sandbox.part("work.2").make().has_value());
    ASSERT_TRUE(sandbox.part("work.10").make().has_value());
    kernel->make_directory("/cg/b.programs/work.3");    // made in one hierarchy only
    EXPECT_EQ(sandbox.later_program_parts().size(), 3u);
    EXPECT_TRUE(sandbox.try_remove());
    EXPECT_EQ(kernel->directories("/cg"), paths{});
}

TEST_F(ControlGroup, KillOfASandboxReachesMoreProgramsBesideIt)
{
    for (const auto* each : {"/cg/b.programs", "/cg/b.programs/work.2"})
        kernel->make_directory(each);
    kernel->add_process("/cg/b.programs/work.2", 8);
    control_group sandbox(kernel, {{"/cg/b", cgroup_version::v1, cgroup_control::pids, true}});
    EXPECT_FALSE(sandbox.is_known_to_be_empty());
    EXPECT_TRUE(sandbox.kill());
    EXPECT_EQ(kernel->killed.front(), 8);
}

TEST_F(ControlGroup, AnAgentHasAGroupOfItsOwnWhereOneWithChildrenMayHaveNoProcesses)
{
    const control_group sandbox(kernel, {{"/cg/a", cgroup_version::v2, cgroup_control::kill | cgroup_control::pids}});
    EXPECT_EQ(directories(sandbox.part("agent")), paths{"/cg/a/agent"});
    EXPECT_EQ(directories(sandbox.own_part("agent")), paths{"/cg/a/agent"});
}

TEST_F(ControlGroup, WhatIsWrittenDownOfAFlatOneIsRead)
{
    const control_group group(kernel, {{"/cg/b", cgroup_version::v1, cgroup_control::pids, true}});
    const auto read = control_group::from_json(kernel, group.to_json());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->part("work").members().at(0).directory, "/cg/b");
    const boost::json::value older{{{"directory", "/cg/b"}, {"version", 1}, {"controls", 2}}};
    const auto of_earlier_release = control_group::from_json(kernel, older);
    ASSERT_TRUE(of_earlier_release);
    EXPECT_EQ(of_earlier_release->part("work").members().at(0).directory, "/cg/b/work");
}

TEST_F(ControlGroup, KnownGroupsAreRemovedFirst)
{
    for (const auto* each : {"/cg/a", "/cg/a/work", "/cg/a/compiler", "/cg/b", "/cg/b.compiler"})
        kernel->make_directory(each);
    control_group sandbox(
        kernel, {{"/cg/a", cgroup_version::v2, cgroup_control::kill}, {"/cg/b", cgroup_version::v1, cgroup_control::pids, true}});
    const std::vector<control_group> known{sandbox.own_part("work"), sandbox.own_part("agent"), sandbox.part("compiler")};
    EXPECT_TRUE(sandbox.try_remove(known));
    EXPECT_EQ(kernel->directories("/cg"), paths{});
}

TEST_F(ControlGroup, IsNotRemovedAsLongAsAKnownGroupBesideItIsThere)
{
    for (const auto* each : {"/cg/b", "/cg/b.compiler"})
        kernel->make_directory(each);
    kernel->busy.insert("/cg/b.compiler");
    control_group sandbox(kernel, {{"/cg/b", cgroup_version::v1, cgroup_control::pids, true}});
    const std::vector<control_group> known{sandbox.part("compiler")};
    EXPECT_FALSE(sandbox.try_remove(known));
    kernel->busy.clear();
    EXPECT_TRUE(sandbox.try_remove(known));
    EXPECT_EQ(kernel->directories("/cg"), paths{});
}

TEST_F(ControlGroup, KillOfASandboxReachesACompilerBesideIt)
{
    kernel->make_directory("/cg/b.compiler");
    kernel->set("/cg/b.compiler/pids.max", "9");
    kernel->add_process("/cg/b.compiler", 8);
    control_group sandbox(kernel, {{"/cg/b", cgroup_version::v1, cgroup_control::pids, true}});
    EXPECT_FALSE(sandbox.is_known_to_be_empty()) << "though its own group is gone";
    EXPECT_EQ(sandbox.part("work").population(), 0u);
    EXPECT_TRUE(sandbox.kill());
    EXPECT_EQ(kernel->killed.front(), 8);
    EXPECT_EQ(at("b.compiler/pids.max"), "0");
}

TEST_F(ControlGroup, ASandboxIsNotRemovedWhileACompilerBesideItIsNot)
{
    kernel->make_directory("/cg/b");
    kernel->make_directory("/cg/b.compiler");
    kernel->busy.insert("/cg/b.compiler");
    control_group sandbox(kernel, {{"/cg/b", cgroup_version::v1, cgroup_control::pids, true}});
    EXPECT_FALSE(sandbox.try_remove());
    kernel->busy.clear();
    EXPECT_TRUE(sandbox.try_remove());
    EXPECT_EQ(kernel->directories("/cg"), paths{});
}

TEST_F(ControlGroup, KillOfNobodyWritesNothing)
{
    kernel->make_directory("/cg/b");
    kernel->set("/cg/b/pids.max", "9");
    control_group sandbox(kernel, {{"/cg/b", cgroup_version::v1, cgroup_control::pids, true}});
    EXPECT_TRUE(sandbox.kill());
    EXPECT_EQ(at("b/pids.max"), "9");
}

TEST_F(ControlGroup, KillFindsWhoJoinedSomeHierarchiesOnly)
{
    kernel->make_directory("/cg/a");
    kernel->make_directory("/cg/b");
    kernel->make_directory("/cg/b/deep");
    kernel->set("/cg/b/deep/cgroup.freeze", "1");
    kernel->add_process("/cg/a", 7);
    kernel->add_process("/cg/b/deep", 7);
    kernel->add_process("/cg/b/deep", 8);
    control_group group(
        kernel, {{"/cg/a", cgroup_version::v2, cgroup_control::kill}, {"/cg/b", cgroup_version::v2, cgroup_control::freeze}});
    EXPECT_TRUE(group.kill());
    ASSERT_FALSE(kernel->killed.empty());
    EXPECT_NE(std::ranges::find(kernel->killed, 8), kernel->killed.end());
    EXPECT_EQ(at("b/deep/cgroup.freeze"), "0") << "frozen below, it would not die";
}

TEST_F(ControlGroup, KillTellsWhatMayNotBeKilled)
{
    kernel->make_directory("/cg/a");
    kernel->add_process("/cg/a", 7);
    kernel->kill_refusal = EPERM;
    control_group foreign(kernel, {{"/cg/a", cgroup_version::v2, cgroup_control::pids}});
    EXPECT_FALSE(foreign.kill());
    EXPECT_EQ(kernel->killed, std::vector<pid_t>{7}) << "once is enough";
    control_group nothing;
    EXPECT_TRUE(nothing.kill());
}

TEST_F(CgroupExecutionGroup, RemoveWaitsForTheKernel)
{
    kernel->add_process(path, 77);
    kernel->busy.insert(path);
    bool done = false;
    asio::co_spawn(context, group->remove(), [&](std::exception_ptr, const result<void>& removed) { done = removed.has_value(); });
    context.poll();
    EXPECT_FALSE(done);
    kernel->busy.clear();
    time.advance(std::chrono::seconds(1));
    context.poll();
    EXPECT_TRUE(done);
    EXPECT_FALSE(kernel->exists(path));
}

TEST_F(CgroupExecutionGroup, RemoveGivesUpAtItsDeadline)
{
    kernel->busy.insert(path);
    std::optional<result<void>> outcome;
    asio::co_spawn(context, group->remove(), [&](std::exception_ptr, const result<void>& removed) { outcome = removed; });
    context.poll();
    for (int i = 0; i < 3 && !outcome; ++i) {
        time.advance(std::chrono::seconds(6));
        context.poll();
    }
    ASSERT_TRUE(outcome);
    ASSERT_TRUE(outcome->has_error());
    EXPECT_EQ(outcome->error().code, errc::timed_out);
}

TEST_F(CgroupExecutionGroup, SurvivesTheContextWhileRemoving)
{
    kernel->busy.insert(path);
    asio::co_spawn(context, group->remove(), [](std::exception_ptr, const result<void>&) { FAIL() << "it cannot end"; });
    context.poll();
}

}    // namespace

}    // namespace caisson
