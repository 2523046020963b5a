#include "adapters/containers/container_watch.hpp"
#include "core/base/log.hpp"
#include "tests/adapters/containers/fixture.hpp"
#include "tests/adapters/host/scratch_directory.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <sys/prctl.h>
#include <unistd.h>

namespace caisson::docker {

namespace {

using ::testing::HasSubstr;

/// A container whose group is a directory here.
class ContainerWatch : public imposter_test {
protected:
    ContainerWatch()
    {
        what->id = "c1";
        what->group = {
            std::make_shared<system_cgroup_io>(), {{group(), cgroup_version::v1, cgroup_control::memory | cgroup_control::pids}}};
        std::filesystem::create_directories(group());
        is("running", 0);
        there.on("GET", "/events").stream();
        has_processes("4711\n");
    }

    /// From now on the engine says this of the container.
    void is(const char* status, int exit_code)
    {
        const int pid = status == std::string_view("running") ? 1 : 0;
        there.forget("GET", "/containers/c1/json");
        there.on("GET", "/containers/c1/json")
            .json(200, boost::json::object{{"Id", "c1"}, {"Name", "/c1"}, {"Image", "sha256:1"},
                           {"Config", {{"Image", "busybox"}, {"Labels", boost::json::object()}}},
                           {"State", {{"Status", status}, {"Pid", pid}, {"ExitCode", exit_code}, {"OOMKilled", false}, {"Error", ""}}}});
    }
    void was_refused_forks(int times) const { std::ofstream(group() + "/pids.events") << "max " << times << "\n"; }
    std::string group() const { return folder.path() + "/group"; }
    void has_processes(const std::string& text) const { std::ofstream(group() + "/cgroup.procs") << text; }
    auto watching() { return begin(watch_container({on, time, log, {}, what})); }
    void pass(std::chrono::milliseconds all)
    {
        for (auto passed = 0ms; passed < all; passed += 250ms) {
            time.advance(250ms);
            settle();
        }
    }

    caisson::testing::scratch_directory folder;
    null_logger log;
    std::shared_ptr<watched_container> what = std::make_shared<watched_container>(context.get_executor());
};

TEST_F(ContainerWatch, AnEmptyGroupIsTheEndWhileTheEngineIsAway)
{
    const auto end_of_it = watching();
    settle();
    there.go_down();
    pass(20s);
    EXPECT_FALSE(end_of_it->done()) << "it runs on without the engine";
    has_processes("");
    pass(20s);
    ASSERT_TRUE(end_of_it->done());
    EXPECT_THAT(end(*end_of_it), HasSubstr("the agent ended while the engine was away"));
}

TEST_F(ContainerWatch, AGroupThatIsGoneIsTheEndWhileTheEngineIsAway)
{
    const auto end_of_it = watching();
    settle();
    there.go_down();
    std::filesystem::remove_all(group());
    pass(20s);
    ASSERT_TRUE(end_of_it->done());
}

TEST_F(ContainerWatch, AGroupThatCannotBeReadSaysNothing)
{
    const auto end_of_it = watching();
    settle();
    there.go_down();
    std::filesystem::remove(group() + "/cgroup.procs");
    pass(20s);
    EXPECT_FALSE(end_of_it->done());
    std::filesystem::create_directory(group() + "/below");
    has_processes("");
    pass(20s);
    EXPECT_FALSE(end_of_it->done()) << "the one below it cannot be read";
}

TEST_F(ContainerWatch, AnEngineThatIsThereKnowsBetterThanTheGroup)
{
    const auto end_of_it = watching();
    settle();
    has_processes("");
    pass(20s);
    EXPECT_FALSE(end_of_it->done());
}

/// A process that waits until it is killed, or this one ends.
std::optional<process_handle> begin_process()
{
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::pause();
        ::_exit(0);
    }
    return process_handle::open_running(pid);
}

TEST_F(ContainerWatch, WhatItWasRefusedIsReadBeforeTheEngineRemovesItsGroup)
{
    what->first_process = begin_process();
    ASSERT_TRUE(what->first_process);
    was_refused_forks(0);
    const auto end_of_it = watching();
    settle();
    was_refused_forks(3);
    settle();
    EXPECT_EQ(what->status.usage().pids_refused, 0) << "it is not looked at all the time";
    what->first_process->send(SIGKILL);
    context.restart();
    while (what->status.usage().pids_refused == 0 && context.run_one_for(10s) > 0) { }
    EXPECT_EQ(what->status.usage().pids_refused, 3);
    EXPECT_FALSE(end_of_it->done()) << "the engine has to say so";

    std::filesystem::remove_all(group());
    is("exited", 2);
    pass(20s);
    ASSERT_TRUE(end_of_it->done());
    EXPECT_THAT(end(*end_of_it), HasSubstr("limits.pids"));
}

TEST_F(ContainerWatch, GoesOnWhereItsFirstProcessCannotBeWaitedFor)
{
    what->first_process = begin_process();
    ASSERT_TRUE(what->first_process);
    const process_handle kept = std::move(*what->first_process);    // with its descriptor
    const auto end_of_it = watching();
    settle();
    EXPECT_FALSE(end_of_it->done());
    is("exited", 3);
    pass(20s);
    ASSERT_TRUE(end_of_it->done());
    EXPECT_THAT(end(*end_of_it), HasSubstr("the agent exited with status 3"));
    kept.send(SIGKILL);
}

}    // namespace

}    // namespace caisson::docker
