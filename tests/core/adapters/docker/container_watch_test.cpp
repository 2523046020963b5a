#include "core/adapters/docker/container_watch.hpp"
#include "core/base/log.hpp"
#include "tests/core/adapters/docker/fixture.hpp"
#include "tests/core/adapters/spawn/scratch_directory.hpp"

#include <gmock/gmock.h>

#include <fstream>

namespace caisson::docker {

namespace {

using ::testing::HasSubstr;

/// A container whose group is a directory here.
class ContainerWatch : public imposter_test {
protected:
    ContainerWatch()
    {
        what->id = "c1";
        what->group = {std::make_shared<system_cgroup_io>(), {{group(), cgroup_version::v1, cgroup_control::memory}}};
        std::filesystem::create_directories(group());
        there.on("GET", "/containers/c1/json")
            .json(200, boost::json::object{{"Id", "c1"}, {"Name", "/c1"}, {"Image", "sha256:1"},
                           {"Config", {{"Image", "busybox"}, {"Labels", boost::json::object()}}},
                           {"State", {{"Status", "running"}, {"Pid", 1}, {"ExitCode", 0}, {"OOMKilled", false}, {"Error", ""}}}});
        there.on("GET", "/events").stream();
        has_processes("4711\n");
    }

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

}    // namespace

}    // namespace caisson::docker
