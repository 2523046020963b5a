#include "tests/core/runtime/host_state.hpp"
#include "tests/core/runtime/runtime_world.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <unistd.h>

namespace caisson::testing {

namespace {

/// Sandboxes that were prepared before somebody asked for them are what others are.
class PreparedSandbox : public ::testing::TestWithParam<runtime_case> {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_run(GetParam()))
            GTEST_SKIP() << *reason;
    }
};

sandbox_spec awaited(runtime_world& world)
{
    auto spec = world.spec();
    spec.is_awaited = true;
    return spec;
}

sandbox_id prepare(runtime_world& world, runtime& where)
{
    auto id = world.spec().id;
    const auto done = world.run(where.prepare_ahead(id, world.spec().limits));
    EXPECT_TRUE(done.has_value()) << done.error().detail;
    return id;
}

sandbox_id prepare(runtime_world& world) { return prepare(world, world.rt()); }

std::unique_ptr<sandbox> create(runtime_world& world, sandbox_spec spec)
{
    auto created = world.run(world.rt().create(std::move(spec)));
    EXPECT_TRUE(created.has_value()) << created.error().detail;
    return std::move(*created);
}

/// What limits the sandbox and its parts: by the files' names, without the sandbox's own.
std::map<std::string, std::string> limits_on_host(runtime_world& world, const sandbox& box)
{
    static const std::set<std::string> files{"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.swappiness", "memory.max",
        "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cgroup.subtree_control"};
    std::map<std::string, std::string> found;
    const auto group = world.groups().sandbox_group(box.id().str());
    for (const auto& member : group.members()) {
        for (const auto& each : std::filesystem::recursive_directory_iterator(member.directory)) {
            if (!files.contains(each.path().filename()))
                continue;
            std::ostringstream text;
            text << std::ifstream(each.path()).rdbuf();
            const auto top = std::filesystem::path(member.directory).parent_path();
            found[top.string() + "/" + each.path().lexically_relative(member.directory).string()] = text.str();
        }
    }
    return found;
}

task<> cut_off_after(runtime_world* world, std::chrono::microseconds time)
{
    auto discarding = world->rt().discard_prepared(0);
    static_cast<void>(co_await with_deadline(world->time(), world->time().steady_now() + time, std::move(discarding)));
}

group_limits group_limits_of(const sandbox_limits& limits) { return {limits.memory_bytes, limits.cpu_milli, limits.pids}; }

TEST_P(PreparedSandbox, ServesWhoWaitsAndLeavesNothing)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());    // what is made once has been made
        const host_state before(world);
        const auto id = prepare(world);
        EXPECT_EQ(world.rt().prepared(), 1u);
        auto box = world.start(awaited(world));
        EXPECT_EQ(box->id(), id);
        EXPECT_EQ(world.rt().prepared(), 0u);
        auto group = world.open_group(*box);
        EXPECT_EQ(world.run_program(*box, world.request(world.echo("hello")), group->join_descriptors()).out, "hello");
        group.reset();
        world.destroy(*box);
        box.reset();
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(PreparedSandbox, IsNotForWhatNobodyWaitsFor)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto id = prepare(world);
        const auto box = create(world, world.spec());
        EXPECT_NE(box->id(), id);
        EXPECT_EQ(world.rt().prepared(), 1u);
        world.destroy(*box);
        world.run(world.rt().discard_prepared(0));
    });
}

TEST_P(PreparedSandbox, HasTheLimitsThatAreAskedFor)
{
    in_world(GetParam(), [](runtime_world& world) {
        for (const bool is_larger : {true, false}) {
            auto limits = world.spec().limits;
            limits.memory_bytes = is_larger ? limits.memory_bytes * 3 : limits.memory_bytes / 2;
            limits.cpu_milli = is_larger ? limits.cpu_milli * 2 : limits.cpu_milli / 2;
            limits.pids = is_larger ? limits.pids + 7 : limits.pids / 2;
            limits.disk_bytes *= 2;
            limits.inodes *= 2;
            prepare(world);
            auto wanted = awaited(world);
            wanted.limits = limits;
            const auto served = create(world, std::move(wanted));
            EXPECT_EQ(world.rt().prepared(), 0u);
            served->make_group_at_start(group_limits_of(limits));
            EXPECT_TRUE(world.run(world.rt().start(*served)).has_value());
            EXPECT_TRUE(served->open_group(first_program_group, group_limits_of(limits)).has_value());
            wanted = world.spec();
            wanted.limits = limits;
            const auto fresh = create(world, std::move(wanted));
            EXPECT_TRUE(fresh->open_group(first_program_group, group_limits_of(limits)).has_value());
            EXPECT_EQ(limits_on_host(world, *served), limits_on_host(world, *fresh));
            world.destroy(*served);
            world.destroy(*fresh);
        }
    });
}

TEST_P(PreparedSandbox, HasTheDirectoryAndTheTreesThatAreAskedFor)
{
    in_world(GetParam(), [](runtime_world& world) {
        if (!world.confines())
            return;    // shows its programs the host's own directories
        const auto package = world.data_dir() + "/package";
        std::filesystem::create_directory(package);
        std::ofstream(package + "/file") << "shown";
        prepare(world);
        auto spec = awaited(world);
        spec.work_directory = "/elsewhere";
        spec.trees = {{package, "package"}};
        const auto box = world.start(std::move(spec));
        EXPECT_EQ(box->work_directory(), "/elsewhere");
        auto request = world.request({"/bin/cat", "package/file"});
        request.cwd = "/elsewhere";
        EXPECT_EQ(world.run_program(*box, std::move(request)).out, "shown");
        world.destroy(*box);
    });
}

TEST_P(PreparedSandbox, TheGroupOfItsExecutionIsFoundByTheNextServer)
{
    in_world(GetParam(), [](runtime_world& world) {
        prepare(world);
        auto box = create(world, awaited(world));
        const auto limits = group_limits_of(world.spec().limits);
        box->make_group_at_start(limits);
        ASSERT_TRUE(world.run(world.rt().start(*box)).has_value());
        auto group = box->open_group(first_program_group, limits).value();
        world.leave_running(*box, world.hang(), group->join_descriptors());
        const auto population = group->population();
        EXPECT_EQ(population > 0, !group->join_descriptors().empty());
        const auto id = box->id();
        const auto state = box->runtime_state();
        group.reset();
        box.reset();
        const auto next = world.make_runtime();
        auto found = world.run(next->recover(id, state));
        ASSERT_TRUE(found.has_value()) << found.error().detail;
        EXPECT_EQ((*(*found)->open_group(first_program_group, limits))->population(), population);
        world.destroy(**found);
    });
}

TEST_P(PreparedSandbox, MayHaveALaterProgramBeforeItsFirst)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());    // what is made once has been made
        const host_state before(world);
        for (const bool has_first : {true, false}) {
            prepare(world);
            auto box = world.start(awaited(world));
            auto second = box->open_group({.program = 2}, {.memory_bytes = 16 << 20, .cpu_milli = 500, .pids = 6}).value();
            world.leave_running(*box, world.hang(), second->join_descriptors());
            EXPECT_EQ(second->population() > 0, !second->join_descriptors().empty());
            if (has_first) {
                const auto first = world.open_group(*box);
                EXPECT_EQ(first->population(), 0U);
                EXPECT_EQ(world.run_program(*box, world.request(world.echo("first")), first->join_descriptors()).out, "first");
            }
            world.destroy(*box);
        }
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(PreparedSandbox, OfWhichSomethingWasRemovedServesNobody)
{
    in_world(GetParam(), [](runtime_world& world) {
        const auto without_directory = prepare(world);
        const auto without_group = prepare(world);
        const auto good = prepare(world);
        std::filesystem::remove_all(world.data_dir() + "/run/" + without_directory.str());
        const auto groups = world.groups().sandbox_group(without_group.str()).part(work_part).members();
        if (groups.empty())
            world.destroy(*create(world, awaited(world)));    // which is as good as the others
        else
            EXPECT_EQ(::rmdir(groups.back().directory.c_str()), 0);
        const auto box = world.start(awaited(world));
        EXPECT_EQ(box->id(), good);
        EXPECT_EQ(world.rt().prepared(), 0u);
        EXPECT_EQ(world.run_program(*box, world.echo("hello")).out, "hello");
        world.destroy(*box);
        world.run(world.rt().discard_prepared(0));
        EXPECT_EQ(world.sweep({}), 0u) << "nothing is left of the others";
    });
}

TEST_P(PreparedSandbox, IsNoLeftOverAndIsDiscarded)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());
        const host_state before(world);
        for (int i = 0; i < 3; ++i)
            prepare(world);
        EXPECT_EQ(world.sweep({}), 0u);
        world.run(world.rt().discard_prepared(1));
        EXPECT_EQ(world.rt().prepared(), 1u);
        world.run(world.rt().discard_prepared(0));
        EXPECT_EQ(world.rt().prepared(), 0u);
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(PreparedSandbox, ADiscardThatIsCutOffLosesNone)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());
        const host_state before(world);
        for (int i = 0; i < 6; ++i)
            prepare(world);
        for (const auto after : {0, 100, 500, 1'000, 2'000})
            world.run(cut_off_after(&world, std::chrono::microseconds(after)));
        world.run(world.rt().discard_prepared(0));
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(PreparedSandbox, OfAServerThatDiedIsALeftOver)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());
        const host_state before(world);
        auto dead = world.make_runtime();
        prepare(world, *dead);
        dead.reset();
        EXPECT_EQ(world.sweep({}), 1u);
        EXPECT_EQ(host_state(world), before);
    });
}

TEST_P(PreparedSandbox, ThatCannotBeMadeLeavesNothing)
{
    in_world(GetParam(), [](runtime_world& world) {
        world.destroy(*world.start());
        const host_state before(world);
        auto limits = world.spec().limits;
        limits.pids = -5;    // no kernel takes it
        const auto done = world.run(world.rt().prepare_ahead(world.spec().id, limits));
        EXPECT_EQ(done.has_error(), world.groups().controls(cgroup_control::pids));
        world.run(world.rt().discard_prepared(0));
        EXPECT_EQ(host_state(world), before);
    });
}

}    // namespace

INSTANTIATE_TEST_SUITE_P(Runtimes, PreparedSandbox,
    ::testing::Values(
        bubblewrap_root, bubblewrap_by_bwrap, bubblewrap_other_agent, bubblewrap_v1, bubblewrap_user, process_as_is, process_user),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace caisson::testing
