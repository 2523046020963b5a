#include "adapters/containers/container_kill.hpp"
#include "tests/adapters/containers/fixture.hpp"
#include "tests/adapters/host/scratch_directory.hpp"

#include <boost/json/object.hpp>
#include <gmock/gmock.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <vector>

namespace caisson::docker {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr const char* state_path = "/containers/c1/json";
constexpr const char* wait_path = "/containers/c1/wait";

/// Plain files for groups, and nobody dies.
class noting_cgroups : public system_cgroup_io {
public:
    int kill(pid_t pid) override
    {
        killed.push_back(pid);
        return refusal;
    }

    std::vector<pid_t> killed;
    int refusal = 0;    // errno
};

/// A container whose group is known, with processes 7 and 8.
class ContainerKill : public imposter_test {
protected:
    ContainerKill() { std::ofstream(folder.path() + "/cgroup.procs") << "7\n8\n"; }

    void tell(const char* state)
    {
        there.on("GET", state_path)
            .json(200, json::object{{"Id", "c1"}, {"Name", "/n"}, {"Image", "sha256:a"}, {"Config", {{"Image", "i"}, {"Labels", nullptr}}},
                           {"State", {{"Status", state}, {"Pid", 0}, {"ExitCode", 0}, {"OOMKilled", false}, {"Error", ""}}}});
    }
    task<bool> killed(control_group seen) { return end_from_here(&on, "c1", std::move(seen), soon()); }

    caisson::testing::scratch_directory folder;
    std::shared_ptr<noting_cgroups> kernel = std::make_shared<noting_cgroups>();
    control_group group{kernel, {{folder.path(), cgroup_version::v1, cgroup_control::memory}}};
};

TEST_F(ContainerKill, IsOverWhenTheEngineHasNoticed)
{
    tell("running");
    there.on("POST", wait_path).json(200, {{"StatusCode", 137}});
    EXPECT_TRUE(run(killed(group)));
    EXPECT_THAT(kernel->killed, ::testing::IsSupersetOf({7, 8}));
    EXPECT_EQ(there.requests("POST", wait_path).at(0).query_value("condition"), "not-running");
    EXPECT_TRUE(there.requests("POST", "/containers/c1/kill").empty());
}

TEST_F(ContainerKill, ThawsWhatIsPaused)
{
    tell("paused");
    there.on("POST", "/containers/c1/unpause").empty(204);
    there.on("POST", wait_path).json(200, {{"StatusCode", 137}});
    EXPECT_TRUE(run(killed(group)));
    EXPECT_EQ(there.requests("POST", "/containers/c1/unpause").size(), 1u);
}

TEST_F(ContainerKill, DoesNotWaitForWhatMayNotBeKilled)
{
    kernel->refusal = EPERM;
    tell("running");
    EXPECT_FALSE(run(killed(group)));
    EXPECT_TRUE(there.requests("POST", wait_path).empty());
}

TEST_F(ContainerKill, DoesNotWaitForWhatIsNotSeenFromHere)
{
    tell("running");
    EXPECT_FALSE(run(killed({})));
    EXPECT_TRUE(kernel->killed.empty());
    EXPECT_TRUE(there.requests("POST", wait_path).empty());
}

TEST_F(ContainerKill, AContainerThatIsGoneHasEnded)
{
    there.on("GET", state_path).fails(404, "No such container: c1");
    EXPECT_TRUE(run(killed(group)));
    there.forget("GET", state_path);
    tell("running");
    there.on("POST", wait_path).fails(404, "No such container: c1");
    EXPECT_TRUE(run(killed(group)));
}

TEST_F(ContainerKill, AnEngineThatDoesNotNoticeIsNotWaitedForLong)
{
    tell("running");
    there.on("POST", wait_path);    // never answers
    const auto ending = begin(killed(group));
    EXPECT_FALSE(pass_until_done(*ending));
}

TEST_F(ContainerKill, AnEngineThatIsAwayIsNotAskedTwice)
{
    there.go_down();
    EXPECT_FALSE(run(killed(group)));
    EXPECT_THAT(kernel->killed, ::testing::IsSupersetOf({7, 8})) << "that needs no engine";
}

}    // namespace
}    // namespace caisson::docker
