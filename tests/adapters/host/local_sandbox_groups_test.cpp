#include "adapters/host/cgroup/cgroup_execution_group.hpp"
#include "adapters/host/local_sandbox.hpp"

#include "tests/adapters/host/cgroup_tree_fixture.hpp"
#include "tests/support/run_task.hpp"

namespace caisson {

namespace {

/// A sandbox that has groups and no process, for a server and the next one.
struct processless_sandbox {
    /// As a later server finds it.
    std::unique_ptr<local_sandbox> find(cgroup_tree& groups)
    {
        local_record record;
        record.limits = caisson::testing::cgroup_test_limits;
        record.group = groups.sandbox_group(id.str());
        const local_services services{context.get_executor(), time, log, workers, groups};
        return std::make_unique<local_sandbox>(services, id, std::move(record), std::nullopt, services.live);
    }
    std::unique_ptr<local_sandbox> make(cgroup_tree& groups)
    {
        EXPECT_TRUE(groups.make_sandbox_group(id.str(), caisson::testing::cgroup_test_limits).has_value());
        auto made = find(groups);
        made->mark_new({});
        return made;
    }
    bool succeeds(task<result<void>> work) { return caisson::testing::run_task(context, std::move(work)).has_value(); }

    asio::io_context context;
    system_timers time;
    null_logger log;
    worker_pool workers{"work", 1};
    sandbox_id id = id_factory(time).make<sandbox_id>();
};

/// The groups of a sandbox's programs, on a fake of cgroup v2.
class LocalSandboxGroups : public caisson::testing::cgroup_tree_fixture {
protected:
    LocalSandboxGroups() { as_root.prepare(); }

    static std::unique_ptr<execution_group> open(sandbox& box, group_name name)
    {
        auto opened = box.open_group(name, {.memory_bytes = 50, .cpu_milli = 100, .pids = 3});
        return std::move(opened.value());
    }
    std::string path(const std::string& part) const { return "/cg/caisson-i/" + of.id.str() + "/" + part; }
    std::string file(const std::string& name) const { return kernel->read(path(name)).value_or("(none)"); }
    bool is_all_removed() const { return kernel->directories("/cg/caisson-i").empty(); }

    static constexpr group_name second{.program = 2};
    static constexpr group_name third{.program = 3};
    processless_sandbox of;
};

TEST_F(LocalSandboxGroups, AGroupOfALaterProgramMayBeTheFirstToBeOpened)
{
    auto box = of.make(as_root);
    const auto of_second = open(*box, second);
    EXPECT_FALSE(kernel->exists(path("work")));
    const auto of_first = open(*box, first_program_group);
    EXPECT_EQ(file("work.2/memory.max"), "70") << "its memory, and the disk of the sandbox";
    EXPECT_EQ(file("work/memory.max"), "70");
    kernel->add_process(path("work.2"), 22);
    EXPECT_EQ(of_second->population(), 1U);
    EXPECT_EQ(of_first->population(), 0U);
    EXPECT_TRUE(of.succeeds(box->destroy()));
    EXPECT_TRUE(is_all_removed());
}

TEST_F(LocalSandboxGroups, ALaterProgramDoesNotGetTheGroupThatWasPreparedForTheFirst)
{
    auto box = of.make(as_root);
    ASSERT_TRUE(box->groups().make_ahead().has_value());
    const auto of_second = open(*box, second);
    kernel->add_process(path("work"), 11);
    EXPECT_EQ(of_second->population(), 0U);
    EXPECT_EQ(open(*box, first_program_group)->population(), 1U);
    EXPECT_EQ(file("work.2/pids.max"), "3");
    EXPECT_EQ(file("work/pids.max"), "3");
    EXPECT_TRUE(of.succeeds(box->destroy()));
    EXPECT_TRUE(is_all_removed());
}

TEST_F(LocalSandboxGroups, APreparedSandboxIsRemovedThoughOnlyALaterProgramRan)
{
    auto box = of.make(as_root);
    ASSERT_TRUE(box->groups().make_ahead().has_value());
    open(*box, second);
    kernel->add_process(path("work.2"), 22);
    EXPECT_TRUE(of.succeeds(box->destroy()));
    EXPECT_TRUE(is_all_removed());
}

TEST_F(LocalSandboxGroups, AGroupIsRemovedWhileThoseOfOtherProgramsLive)
{
    auto box = of.make(as_root);
    auto of_second = open(*box, second);
    const auto of_third = open(*box, third);
    kernel->add_process(path("work.2"), 22);
    kernel->add_process(path("work.3"), 33);
    EXPECT_TRUE(of.succeeds(of_second->remove()));
    EXPECT_FALSE(kernel->exists(path("work.2")));
    EXPECT_EQ(file("work.3/cgroup.procs"), "33\n");
    EXPECT_EQ(file("work.3/pids.max"), "3") << "it may fork";
    EXPECT_TRUE(of.succeeds(of_second->remove())) << "a second time";
    EXPECT_TRUE(of.succeeds(box->destroy()));
    EXPECT_TRUE(is_all_removed());
}

TEST_F(LocalSandboxGroups, AFoundSandboxOfWhichOnlyALaterProgramLivesIsDestroyedWhole)
{
    auto box = of.make(as_root);
    auto of_first = open(*box, first_program_group);
    EXPECT_TRUE(of.succeeds(of_first->remove()));
    open(*box, second);
    kernel->add_process(path("work.2"), 22);
    box = of.find(as_root);
    EXPECT_TRUE(of.succeeds(box->destroy()));
    EXPECT_TRUE(is_all_removed());
}

TEST_F(LocalSandboxGroups, AGroupThatIsOpenedWhileTheSandboxIsPausedIsFrozen)
{
    auto box = of.make(as_root);
    ASSERT_TRUE(of.succeeds(box->pause()));
    open(*box, second);
    EXPECT_EQ(file("work.2/cgroup.freeze"), "1");
    ASSERT_TRUE(of.succeeds(box->resume()));
    EXPECT_EQ(file("work.2/cgroup.freeze"), "0");
}

TEST_F(LocalSandboxGroups, AGroupThatIsOpenedInASandboxThatAnEarlierServerPausedIsFrozen)
{
    auto box = of.make(as_root);
    open(*box, first_program_group);
    ASSERT_TRUE(of.succeeds(box->pause()));
    box = of.find(as_root);
    open(*box, second);
    EXPECT_EQ(file("work.2/cgroup.freeze"), "1");
    ASSERT_TRUE(of.succeeds(box->resume()));
    open(*box, third);
    EXPECT_NE(file("work.3/cgroup.freeze"), "1");
}

TEST_F(LocalSandboxGroups, AGroupThatIsOpenedAfterTheStopOfAPausedSandboxIsNotFrozen)
{
    auto box = of.make(as_root);
    ASSERT_TRUE(of.succeeds(box->pause()));
    ASSERT_TRUE(of.succeeds(box->stop()));
    open(*box, second);
    EXPECT_NE(file("work.2/cgroup.freeze"), "1");
}

TEST_F(LocalSandboxGroups, ALimitThatTheSandboxMetEarlierIsNotCountedForALaterProgram)
{
    auto box = of.make(as_root);
    kernel->set(path("memory.events.local"), "max 9\noom 2\n");
    auto of_second = open(*box, second);
    kernel->set(path("work.2/memory.events.local"), "oom 0\n");
    EXPECT_EQ(of_second->usage().oom_kills, 0);
    kernel->set(path("work.2/memory.events"), "oom_kill 1\n");
    EXPECT_EQ(of_second->usage().oom_kills, 1);
    EXPECT_TRUE(of_second->usage().oom_outside) << "the sandbox was at its limit before this program only";
    kernel->set(path("memory.events.local"), "max 12\noom 3\n");
    EXPECT_FALSE(of_second->usage().oom_outside) << "the sandbox was at its limit again";
}

TEST_F(LocalSandboxGroups, ALimitThatTheSandboxMetCountsForALaterProgramThatIsFoundAgain)
{
    auto box = of.make(as_root);
    open(*box, second);
    kernel->set(path("work.2/memory.events"), "oom_kill 1\n");
    kernel->set(path("work.2/memory.events.local"), "oom 0\n");
    kernel->set(path("memory.events.local"), "oom 1\n");
    box = of.find(as_root);
    EXPECT_FALSE(open(*box, second)->usage().oom_outside) << "it may have been this program";
}

TEST_F(LocalSandboxGroups, AGroupIsRemovedWhileThoseOfOtherProgramsLiveBesideIt)
{
    for (const auto* each : {"/cg/a", "/cg/b"})
        kernel->make_directory(each);
    control_group sandbox(kernel,
        {{"/cg/a", cgroup_version::v2, cgroup_control::kill}, {"/cg/b", cgroup_version::v1, cgroup_control::memory, true}});    // flat
    ASSERT_TRUE(sandbox.make_later_programs_group({}).has_value());
    auto of_second = cgroup_execution_group::open(of.time, sandbox.part("work.2"), {}).value();
    const auto of_third = cgroup_execution_group::open(of.time, sandbox.part("work.3"), {}).value();
    EXPECT_EQ(kernel->directories("/cg/b.programs"), (std::vector<std::string>{"work.2", "work.3"}));
    kernel->add_process("/cg/a/work.2", 22);
    for (const auto* each : {"/cg/a/work.3", "/cg/b.programs/work.3"})
        kernel->add_process(each, 33);
    EXPECT_TRUE(of.succeeds(of_second->remove()));
    EXPECT_EQ(kernel->directories("/cg/a"), std::vector<std::string>{"work.3"});
    EXPECT_EQ(kernel->directories("/cg/b.programs"), std::vector<std::string>{"work.3"});
    EXPECT_EQ(of_third->population(), 1U);
    EXPECT_TRUE(kernel->killed.empty());
}

/// The same with cgroup v1, where memory has no freezer.
class LocalSandboxGroupsOfV1 : public caisson::testing::cgroup_v1_tree_fixture {
protected:
    processless_sandbox of;
};

TEST_F(LocalSandboxGroupsOfV1, AGroupThatWasMadeInPartDoesNotPreventAPauseAndIsRemoved)
{
    auto& groups = prepared(true);
    const auto beside = "/cg/memory/caisson-i/" + of.id.str() + ".programs";
    for (const auto& each : {beside, beside + "/work.2"})
        ASSERT_EQ(kernel->make_directory(each), 0);
    auto box = of.find(groups);
    EXPECT_TRUE(of.succeeds(box->pause()));
    EXPECT_TRUE(of.succeeds(box->resume()));
    EXPECT_TRUE(of.succeeds(box->destroy()));
    EXPECT_EQ(kernel->directories("/cg/memory/caisson-i"), std::vector<std::string>{});
}

}    // namespace

}    // namespace caisson
