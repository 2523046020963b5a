#include "adapters/host/cgroup/cgroup_tree.hpp"

#include "tests/adapters/host/cgroup_tree_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace caisson {

namespace {

constexpr auto limits = caisson::testing::cgroup_test_limits;
constexpr auto mountinfo = caisson::testing::cgroup_test_mounts;

class CgroupTree : public caisson::testing::cgroup_tree_fixture { };
class CgroupTreeOfV1 : public caisson::testing::cgroup_v1_tree_fixture { };

using caisson::testing::directories_of;
using paths = std::vector<std::string>;

TEST_F(CgroupTree, OfRootIsAtTheTopWithAllControls)
{
    as_root.prepare();
    EXPECT_TRUE(kernel->exists("/cg/caisson-i"));
    EXPECT_EQ(at("cgroup.subtree_control"), "cpu io memory pids");
    EXPECT_EQ(at("caisson-i/cgroup.subtree_control"), "memory pids cpu");
    EXPECT_TRUE(as_root.degraded().empty());
}

TEST_F(CgroupTree, SandboxHasItsLimitsAndAnAgent)
{
    as_root.prepare();
    auto made = as_root.make_sandbox_group("sbx", limits);
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    EXPECT_EQ(at("caisson-i/sbx/memory.max"), std::to_string(120 + (64 << 20)));
    EXPECT_EQ(at("caisson-i/sbx/memory.swap.max"), "0");
    EXPECT_EQ(at("caisson-i/sbx/cgroup.subtree_control"), "memory pids cpu");
    EXPECT_EQ(at("caisson-i/sbx/agent/memory.max"), "max\n");
    EXPECT_EQ(as_root.sandbox_names(), std::vector<std::string>{"sbx"});
}

TEST_F(CgroupTree, AllSandboxesHaveALimitThatEndsNoneOfThem)
{
    as_root.prepare();
    kernel->set("/cg/caisson-i/memory.current", "50\n");
    EXPECT_TRUE(as_root.limit_memory(100).has_value());
    EXPECT_EQ(at("caisson-i/memory.max"), "100");
    kernel->set("/cg/caisson-i/memory.current", "200\n");
    const auto limited = as_root.limit_memory(60);
    ASSERT_TRUE(limited.has_error());
    EXPECT_EQ(limited.error().code, errc::conflict);
    EXPECT_EQ(at("caisson-i/memory.max"), "100") << "the former one";
}

TEST_F(CgroupTreeOfV1, OnlyAHierarchyThatFreezesHasGroupsBelowASandboxs)
{
    auto& tree = prepared(true);
    const auto made = tree.make_sandbox_group("sbx", limits);
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    EXPECT_EQ(directories_of(made->part("work")), (paths{"/cg/memory/caisson-i/sbx", "/cg/others/caisson-i/sbx/work"}));
    EXPECT_EQ(directories_of(made->part("agent")), (paths{"/cg/memory/caisson-i", "/cg/others/caisson-i/sbx"}));
    EXPECT_EQ(directories_of(made->whole()), paths{"/cg/others/caisson-i/sbx"});
    EXPECT_EQ(directories_of(tree.agents_group()), paths{"/cg/memory/caisson-i"});
    EXPECT_FALSE(kernel->exists("/cg/memory/caisson-i/sbx")) << "it is the work's, and made with that";
}

TEST_F(CgroupTreeOfV1, WithoutAFreezerOneHierarchyHasAllOfASandboxInAGroup)
{
    const auto sandbox = prepared(false).sandbox_group("sbx");
    EXPECT_EQ(directories_of(sandbox.part("agent")), (paths{"/cg/memory/caisson-i/sbx", "/cg/others/caisson-i"}));
    EXPECT_EQ(directories_of(sandbox.part("work")), (paths{"/cg/memory/caisson-i/sbx/work", "/cg/others/caisson-i/sbx"}));
}

TEST_F(CgroupTree, RemovesItsRootAtItsEndUnlessASandboxIsLeft)
{
    const cgroup_tree_options options{.instance = "short", .privileged = true, .mountinfo = mountinfo, .self_cgroup = "0::/\n"};
    {
        cgroup_tree idle(kernel, options);
        idle.prepare();
        EXPECT_TRUE(kernel->exists("/cg/caisson-short"));
    }
    EXPECT_FALSE(kernel->exists("/cg/caisson-short"));
    {
        cgroup_tree used(kernel, options);
        used.prepare();
        ASSERT_TRUE(used.make_sandbox_group("sbx", limits).has_value());
    }
    EXPECT_TRUE(kernel->exists("/cg/caisson-short/sbx/agent"));
}

TEST_F(CgroupTree, DelegatedGroupIsLeftByTheServerSoThatItCanHandControllersDown)
{
    kernel->make_directory("/cg/own");
    kernel->set("/cg/own/cgroup.controllers", "memory pids");
    kernel->add_process("/cg/own", 41);
    kernel->add_process("/cg/own", 42);
    as_user.prepare();
    EXPECT_EQ(at("own/cgroup.procs"), "");
    EXPECT_EQ(at("own/caisson-leaf/cgroup.procs"), "41\n42\n");
    EXPECT_TRUE(as_user.controls(cgroup_control::memory));
    EXPECT_TRUE(as_user.controls(cgroup_control::pids));
    EXPECT_FALSE(as_user.controls(cgroup_control::cpu));
    ASSERT_EQ(as_user.degraded().size(), 1U);
    EXPECT_EQ(as_user.degraded()[0].control, "cpu");
}

TEST_F(CgroupTree, ProcessesLeaveBeforeAControllerThatMayBeSharedAmongThreadsIsHandedDown)
{
    kernel->make_directory("/cg/own");
    kernel->set("/cg/own/cgroup.controllers", "cpu memory pids");
    kernel->add_process("/cg/own", 41);
    as_user.prepare();
    EXPECT_EQ(at("own/cgroup.type"), "domain\n");
    EXPECT_EQ(at("own/cgroup.subtree_control"), "cpu memory pids");
    EXPECT_EQ(as_user.refusal(), "");
    EXPECT_TRUE(as_user.degraded().empty());
}

TEST_F(CgroupTree, ANextServerFromTheLeafUsesTheGroupAboveIt)
{
    kernel->make_directory("/cg/own");
    kernel->set("/cg/own/cgroup.controllers", "memory");
    kernel->add_process("/cg/own", 41);
    as_user.prepare();
    cgroup_tree next(kernel, {.instance = "j", .mountinfo = mountinfo, .self_cgroup = "0::/own/caisson-leaf\n"});
    next.prepare();
    EXPECT_TRUE(kernel->exists("/cg/own/caisson-j"));
    EXPECT_FALSE(kernel->exists("/cg/own/caisson-leaf/caisson-leaf"));
    EXPECT_TRUE(next.controls(cgroup_control::memory));
}

TEST_F(CgroupTree, TheTopOfTheHierarchyKeepsItsProcesses)
{
    kernel->add_process("/cg", 1);
    as_root.prepare();
    EXPECT_EQ(at("cgroup.procs"), "1\n");
    EXPECT_TRUE(as_root.degraded().empty());
}

TEST_F(CgroupTree, TheTopOfACgroupNamespaceIsLeft)
{
    kernel->set("/cg/cgroup.type", "domain\n");
    kernel->add_process("/cg", 1);
    as_root.prepare();
    EXPECT_EQ(at("cgroup.procs"), "");
    EXPECT_EQ(at("caisson-leaf/cgroup.procs"), "1\n");
    EXPECT_TRUE(as_root.degraded().empty());
}

TEST_F(CgroupTree, AProcessThatCannotBeMovedIsARefusal)
{
    kernel->make_directory("/cg/own");
    kernel->set("/cg/own/cgroup.controllers", "memory");
    kernel->add_process("/cg/own", 0);    // of another pid namespace
    as_user.prepare();
    EXPECT_EQ(as_user.refusal(), "/cg/own/caisson-leaf: Operation not permitted");
    EXPECT_FALSE(as_user.controls(cgroup_control::memory));
}

TEST_F(CgroupTree, AChosenRootIsFoundFromTheTopOrBesideTheServer)
{
    for (const char* name : {"/cg/system", "/cg/system/server", "/cg/system/boxes"})
        kernel->make_directory(name);
    kernel->set("/cg/system/boxes/cgroup.controllers", "cpu memory pids");
    kernel->add_process("/cg/system/boxes", 9);
    for (const char* root : {"/system/boxes", "../boxes"}) {
        cgroup_tree chosen(
            kernel, {.instance = "c", .privileged = true, .root = root, .mountinfo = mountinfo, .self_cgroup = "0::/system/server\n"});
        chosen.prepare();
        EXPECT_EQ(chosen.refusal(), "") << root;
        EXPECT_TRUE(kernel->exists("/cg/system/boxes/caisson-c")) << root;
        EXPECT_TRUE(chosen.degraded().empty()) << root;
    }
    EXPECT_EQ(at("system/boxes/cgroup.procs"), "9\n") << "moved into the leaf, and back at the end";
    EXPECT_EQ(at("system/boxes/cgroup.subtree_control"), "");
}

TEST_F(CgroupTree, AChosenRootThatIsNotThereIsARefusal)
{
    cgroup_tree chosen(
        kernel, {.instance = "c", .privileged = true, .root = "/nowhere", .mountinfo = mountinfo, .self_cgroup = "0::/system/server\n"});
    chosen.prepare();
    EXPECT_EQ(chosen.refusal(), "/cg/nowhere/caisson-c: No such file or directory");
    EXPECT_TRUE(chosen.root().members().empty());
}

TEST_F(CgroupTree, ProcessesOfOthersAreNeverMovedOutOfASharedGroup)
{
    kernel->make_directory("/cg/own");
    kernel->set("/cg/own/cgroup.controllers", "memory pids");
    kernel->add_process("/cg/own", 41);
    kernel->add_process("/cg/own", 4321);    // no relative
    as_user.prepare();
    EXPECT_EQ(at("own/cgroup.procs"), "41\n4321\n");
    EXPECT_FALSE(kernel->exists("/cg/own/caisson-leaf"));
    EXPECT_FALSE(as_user.controls(cgroup_control::memory));
    EXPECT_NE(as_user.refusal().find("processes that are not the server's"), std::string::npos) << as_user.refusal();
}

TEST_F(CgroupTree, TheLeafIsDissolvedAtTheEnd)
{
    kernel->set("/cg/cgroup.type", "domain\n");
    kernel->add_process("/cg", 1);
    as_root.prepare();
    EXPECT_EQ(at("caisson-leaf/cgroup.procs"), "1\n");
    as_root.release();
    EXPECT_EQ(at("cgroup.procs"), "1\n");
    EXPECT_EQ(at("cgroup.subtree_control"), "");
    EXPECT_EQ(kernel->directories("/cg"), std::vector<std::string>{});
}

TEST_F(CgroupTree, TheLeafStaysWhileASandboxOrAnotherServerNeedsIt)
{
    kernel->set("/cg/cgroup.type", "domain\n");
    kernel->add_process("/cg", 1);
    as_root.prepare();
    ASSERT_TRUE(as_root.make_sandbox_group("sbx", limits).has_value());
    as_root.release();
    EXPECT_EQ(at("caisson-leaf/cgroup.procs"), "1\n") << "a sandbox is left";
    ASSERT_TRUE(as_root.left_over_group("i", "sbx").try_remove());
    kernel->make_directory("/cg/caisson-other");
    as_root.release();
    EXPECT_EQ(at("caisson-leaf/cgroup.procs"), "1\n") << "another server is there";
    kernel->remove_directory("/cg/caisson-other");
    as_root.release();
    EXPECT_EQ(at("cgroup.procs"), "1\n");
}

TEST_F(CgroupTree, FindsWhatIsLeftWhereverItLooks)
{
    kernel->make_directory("/cg/own");
    for (const char* group : {"/cg/caisson-i", "/cg/caisson-i/sbx_1", "/cg/own/caisson-i", "/cg/own/caisson-i/sbx_1",
             "/cg/own/caisson-i/sbx_1.compiler", "/cg/own/caisson-i/sbx_1.programs", "/cg/own/caisson-i/sbx_1.programs/work.2",
             "/cg/own/caisson-dead", "/cg/own/caisson-dead/sbx_2"})
        ASSERT_EQ(kernel->make_directory(group), 0) << group;
    as_user.prepare();
    EXPECT_EQ(as_user.sandbox_names(), std::vector<std::string>{"sbx_1"});
    EXPECT_EQ(as_user.instances(), (std::vector<std::string>{"dead", "i"}));
    EXPECT_EQ(as_user.left_over_group("dead", "sbx_2").members().size(), 1U);
    EXPECT_EQ(as_user.left_over_group("i", "sbx_2").members().size(), 0U);
    auto everywhere = as_user.left_over_group("i", "sbx_1");
    EXPECT_EQ(everywhere.members().size(), 4U);
    EXPECT_TRUE(everywhere.try_remove());
    EXPECT_FALSE(kernel->exists("/cg/own/caisson-i/sbx_1.compiler"));
    EXPECT_FALSE(kernel->exists("/cg/own/caisson-i/sbx_1.programs"));
    EXPECT_FALSE(kernel->exists("/cg/caisson-i/sbx_1"));
    EXPECT_FALSE(kernel->exists("/cg/own/caisson-i/sbx_1"));
}

struct sibling_case {
    std::string_view name;
    paths groups;    // all that is left of the sandbox
};
class LeftOverSibling : public caisson::testing::cgroup_tree_fixture, public ::testing::WithParamInterface<sibling_case> { };

/// What doctor counts of a dead server, and what the sweep of a living one finds.
TEST_P(LeftOverSibling, IsKnownByItsSandboxsName)
{
    for (const char* instance : {"dead", "i"}) {
        const auto root = "/cg/caisson-" + std::string(instance);
        ASSERT_EQ(kernel->make_directory(root), 0);
        for (const auto& each : GetParam().groups)
            ASSERT_EQ(kernel->make_directory(root + "/" + each), 0) << each;
    }
    as_root.prepare();
    EXPECT_EQ(as_root.group_names("dead"), std::set<std::string>{"sbx_1"});
    EXPECT_EQ(as_root.sandbox_names(), std::vector<std::string>{"sbx_1"});
    EXPECT_EQ(as_root.instances(), (std::vector<std::string>{"dead", "i"}));
    auto left = as_root.left_over_group("dead", "sbx_1");
    ASSERT_FALSE(left.members().empty());
    EXPECT_TRUE(left.try_remove());
    EXPECT_TRUE(as_root.group_names("dead").empty());
    EXPECT_EQ(as_root.group_names("i"), std::set<std::string>{"sbx_1"}) << "another server's";
}

INSTANTIATE_TEST_SUITE_P(Cases, LeftOverSibling,
    ::testing::Values(sibling_case{"later_programs_only", {"sbx_1.programs", "sbx_1.programs/work.2", "sbx_1.programs/compiler.3"}},
        sibling_case{"no_program_any_more", {"sbx_1.programs"}}, sibling_case{"compiler_only", {"sbx_1.compiler"}},
        sibling_case{"all", {"sbx_1", "sbx_1/work", "sbx_1.compiler", "sbx_1.programs", "sbx_1.programs/work.2"}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(CgroupTree, WithoutDelegationThereAreNoGroupsAndNothingFails)
{
    kernel->make_directory("/cg/own");
    kernel->refusals["/cg/own/caisson-i"] = EACCES;
    as_user.prepare();
    EXPECT_TRUE(as_user.root().members().empty());
    auto made = as_user.make_sandbox_group("sbx", limits);
    ASSERT_TRUE(made.has_value());
    EXPECT_TRUE(made->open_for_join()->empty());
    EXPECT_EQ(made->population(), 0U);
    EXPECT_TRUE(made->try_remove());
    const auto degraded = as_user.degraded();
    ASSERT_EQ(degraded.size(), 5U);
    EXPECT_EQ(degraded[0].control, "memory");
    EXPECT_NE(degraded[0].reason.find("Permission denied"), std::string::npos);
    EXPECT_NE(degraded[0].remedy.find("Delegate=yes"), std::string::npos);
}

TEST_F(CgroupTree, ARefusedLimitIsAnErrorThatNamesTheFile)
{
    as_root.prepare();
    kernel->make_directory("/cg/caisson-i/sbx");
    kernel->refusals["/cg/caisson-i/sbx/memory.max"] = EINVAL;
    const auto made = as_root.make_sandbox_group("sbx", limits);
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_NE(made.error().detail.find("memory.max"), std::string::npos);
}

TEST_F(CgroupTree, GroupsAreWrittenDownAndReadBack)
{
    as_root.prepare();
    const auto group = as_root.sandbox_group("sbx");
    const auto again = control_group::from_json(kernel, group.to_json());
    ASSERT_TRUE(again);
    ASSERT_EQ(again->members().size(), 1U);
    EXPECT_EQ(again->members()[0].directory, "/cg/caisson-i/sbx");
    EXPECT_TRUE(again->controls(cgroup_control::kill));
    EXPECT_FALSE(control_group::from_json(kernel, "text"));
    EXPECT_FALSE(control_group::from_json(kernel, boost::json::array{1}));
}

}    // namespace

}    // namespace caisson
