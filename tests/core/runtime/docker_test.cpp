#include "tests/core/runtime/own_engine.hpp"
#include "tests/core/runtime/runtime_world.hpp"

#include "adapters/engine/containers.hpp"
#include "adapters/host/run_directory.hpp"
#include "adapters/host/seccomp_filter.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson::testing {

namespace {

using namespace std::chrono_literals;

/// Sandboxes of a real engine, and what may happen to their containers behind the server's back.
class DockerSandbox : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (const auto reason = cannot_run(docker_root))
            GTEST_SKIP() << *reason;
    }
    static boost::json::value state_of(const sandbox& box) { return boost::json::parse(box.runtime_state()); }
    static std::string container_of(const sandbox& box) { return std::string(state_of(box).at("container").at("id").as_string()); }
    static pid_t agent_of(const sandbox& box) { return state_of(box).at("agent").at("pid").to_number<pid_t>(); }
    static bool has_container(runtime_world& world, const std::string& id)
    {
        docker::containers all(world.engine());
        return world.run(all.inspect(id, world.engine().deadline())).has_value();
    }
    /// What a shell program prints with the payload's filter, without the last newline.
    static std::string shell(runtime_world& world, sandbox& box, const std::string& program)
    {
        auto request = world.request({"/bin/sh", "-c", program});
        request.seccomp_filter = payload_filter();
        const auto outcome = world.run_program(box, std::move(request));
        const auto text = outcome.out + outcome.err;
        return text.substr(0, text.find_last_not_of('\n') + 1);
    }
    static std::string groups_of(pid_t pid)
    {
        std::ostringstream out;
        out << std::ifstream("/proc/" + std::to_string(pid) + "/cgroup").rdbuf();
        return out.str();
    }
};

TEST_F(DockerSandbox, ProgramsAreInTheServersGroupsAndTheAgentInTheEngines)
{
    runtime_world world(docker_root);
    const auto box = world.start();
    const auto group = world.open_group(*box);
    ASSERT_FALSE(group->join_descriptors().empty());
    const auto seen = world.run_program(*box, world.request({"/usr/bin/cat", "/proc/self/cgroup"}), group->join_descriptors());
    EXPECT_NE(seen.out.find(box->id().str() + "/work"), std::string::npos) << seen.out << seen.err;
    const auto of_agent = groups_of(agent_of(*box));
    EXPECT_NE(of_agent.find(container_of(*box)), std::string::npos) << of_agent;
    EXPECT_EQ(of_agent.find(box->id().str()), std::string::npos) << of_agent;
    world.destroy(*box);
}

TEST_F(DockerSandbox, MemoryEndsTheProgramAndNotTheAgent)
{
    runtime_world world(docker_root);
    const auto box = world.start();
    const auto group = world.open_group(*box);
    const auto outcome = world.run_program(*box, world.request({"/usr/bin/tail", "/dev/zero"}), group->join_descriptors());
    ASSERT_TRUE(outcome.exit) << outcome.err;
    EXPECT_EQ(outcome.exit->wait_status, SIGKILL);
    EXPECT_GT(group->usage().oom_kills, 0);
    EXPECT_EQ(world.run_program(*box, world.echo("next")).out, "next");
    world.destroy(*box);
}

TEST_F(DockerSandbox, TheDiskIsBoundedInBytesAndFiles)
{
    runtime_world world(docker_root);
    const auto box = world.start();
    ASSERT_TRUE(box->disk());
    EXPECT_FALSE(box->disk()->bytes_exhausted || box->disk()->inodes_exhausted);
    EXPECT_EQ(shell(world, *box, "dd if=/dev/zero of=f bs=64k 2>/dev/null; stat -c %s f"), "4194304");
    EXPECT_TRUE(box->disk()->bytes_exhausted);
    EXPECT_EQ(shell(world, *box, "rm f; i=0; while true 2>/dev/null > f$i; do i=$((i+1)); done 2>/dev/null; echo $i"), "64");
    EXPECT_TRUE(box->disk()->inodes_exhausted);
    shell(world, *box, "rm -f *; dd if=/dev/zero of=/tmp/f bs=64k 2>/dev/null");
    EXPECT_TRUE(box->disk()->bytes_exhausted) << "of /tmp";
    world.destroy(*box);
}

TEST_F(DockerSandbox, IsNobodySpecial)
{
    runtime_world world(docker_root);
    const auto box = world.start();
    const auto uid = std::to_string(state_of(*box).at("uid").to_number<uid_t>());
    EXPECT_EQ(shell(world, *box,
                  "id -u; id -g; id -un; pwd; grep -hE '^(Cap|NoNewPrivs|Seccomp):?' /proc/self/status | tr -d '\\t' | grep -v filters"),
        uid + "\n" + uid +
            "\nsandbox\n/workspace\nCapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\n"
            "CapBnd:0000000000000000\nCapAmb:0000000000000000\nNoNewPrivs:1\nSeccomp:2");
    world.destroy(*box);
}

TEST_F(DockerSandbox, WritesOnlyWhereItMay)
{
    runtime_world world(docker_root);
    const auto box = world.start();
    EXPECT_EQ(shell(world, *box,
                  "for d in / /usr /usr/bin /etc /dev /proc /proc/sys /.caisson /.caisson/link /workspace /tmp /dev/shm; do "
                  "(: > $d/.w) 2>/dev/null && echo $d; done; (: > /.caisson/agent) 2>/dev/null && echo agent; "
                  "rm -f /.caisson/link/s 2>/dev/null; ls /.caisson/link; kill -9 1; kill -STOP 1; head -c 1 /proc/1/mem 2>/dev/null; echo "
                  "alive"),
        "/workspace\n/tmp\n/dev/shm\ns\nalive");
    world.destroy(*box);
}

/// So that nobody's locks and watches meet another's.
TEST_F(DockerSandbox, SharesNoFileWithAnother)
{
    runtime_world world(docker_root);
    const auto first = world.start();
    const auto second = world.start();
    for (const std::string path :
        {"/.caisson/agent", "/etc/passwd", "/.caisson/link", "/usr/bin/busybox", "/dev/null", "/proc/sys", "/workspace"}) {
        struct stat one{};
        struct stat other{};
        ASSERT_EQ(::stat(("/proc/" + std::to_string(agent_of(*first)) + "/root" + path).c_str(), &one), 0) << path;
        ASSERT_EQ(::stat(("/proc/" + std::to_string(agent_of(*second)) + "/root" + path).c_str(), &other), 0) << path;
        EXPECT_FALSE(one.st_dev == other.st_dev && one.st_ino == other.st_ino) << path;
    }
    world.destroy(*first);
    world.destroy(*second);
}

TEST_F(DockerSandbox, HasNoNetwork)
{
    runtime_world world(docker_root);
    const auto box = world.start();
    EXPECT_EQ(
        shell(world, *box, "wc -l < /proc/net/route; sed -n '3,$s/:.*//p' /proc/net/dev; unshare -Ur true 2>/dev/null || echo refused"),
        "1\n    lo\nrefused");
    world.destroy(*box);
}

TEST_F(DockerSandbox, EndedSaysThatTheContainerWasRemoved)
{
    runtime_world world(docker_root);
    const auto box = world.start();
    docker::containers all(world.engine());
    EXPECT_TRUE(world.run(all.remove(container_of(*box), world.engine().deadline())).has_value());
    EXPECT_EQ(world.run(box->ended()), "the container was removed from outside");
    world.destroy(*box);
    EXPECT_TRUE(run_directory::list(world.data_dir() + "/run").empty());
}

TEST_F(DockerSandbox, RecoveringOneThatWasRemovedSaysSo)
{
    runtime_world world(docker_root);
    auto box = world.start();
    const auto id = box->id();
    const auto state = box->runtime_state();
    docker::containers all(world.engine());
    EXPECT_TRUE(world.run(all.remove(container_of(*box), world.engine().deadline())).has_value());
    box.reset();
    const auto found = world.run(world.rt().recover(id, state));
    ASSERT_TRUE(found.has_error());
    EXPECT_EQ(found.error().code, errc::gone);
    EXPECT_EQ(found.error().detail, "the container was removed from outside");
}

TEST_F(DockerSandbox, APauseFromOutsideIsToldAndIsNoLoss)
{
    runtime_world world(docker_root);
    const auto box = world.start();
    docker::containers all(world.engine());
    ASSERT_TRUE(world.run(all.pause(container_of(*box), world.engine().deadline())).has_value());
    (void)world.run(box->connect());    // the agent had come before
    const auto silent = world.run(box->connect());
    ASSERT_TRUE(silent.has_error());
    EXPECT_EQ(silent.error().code, errc::timed_out) << "the link tries again";
    EXPECT_NE(silent.error().detail.find("paused from outside"), std::string::npos) << silent.error().detail;
    ASSERT_TRUE(world.run(all.unpause(container_of(*box), world.engine().deadline())).has_value());
    EXPECT_EQ(world.run_program(*box, world.echo("goes on")).out, "goes on");
    ASSERT_TRUE(world.run(all.pause(container_of(*box), world.engine().deadline())).has_value());
    const auto id = container_of(*box);
    world.destroy(*box);
    EXPECT_FALSE(has_container(world, id)) << "a paused one is removed too";
}

/// As when a server is killed: nobody tells the old object, and its socket is still there.
TEST_F(DockerSandbox, TheNextServerTakesItUp)
{
    runtime_world world(docker_root);
    auto box = world.start();
    const auto id = box->id();
    const auto state = box->runtime_state();
    world.leave_running(*box, {"/bin/sh", "-c", "while true; do sleep 1; done"}, {});
    box.reset();
    const auto next = world.make_runtime();
    auto found = world.run(next->recover(id, state));
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    EXPECT_EQ((*found)->image_digest().substr(0, 7), "sha256:");
    EXPECT_EQ(world.run_program(**found, world.echo("taken up")).out, "taken up");
    world.destroy(**found);
}

TEST_F(DockerSandbox, IsFoundByItsLabelsWhenNothingElseIsLeft)
{
    runtime_world world(docker_root);
    auto box = world.start();
    const auto id = box->id();
    const auto container = container_of(*box);
    box.reset();
    std::filesystem::remove_all(world.data_dir() + "/run/" + id.str());
    EXPECT_EQ(world.run(world.rt().left_overs()).value(), std::vector{id});
    EXPECT_TRUE(world.run(world.rt().remove_left_over(id, "")).has_value());
    EXPECT_FALSE(has_container(world, container));
    EXPECT_TRUE(world.run(world.rt().left_overs())->empty());
}

TEST_F(DockerSandbox, AProbeNeedsNoImage)
{
    runtime_world world(docker_root);
    world.run(world.rt().probe());
    EXPECT_TRUE(world.rt().capabilities().available) << world.rt().capabilities().unavailable_reason;
    docker::images images(world.engine());    // those of this process: others may probe now
    const auto left = world.run(images.list(world.engine().deadline(), {"caisson.instance=test-" + std::to_string(::getpid())}));
    for (const auto& image : left.value())
        for (const auto& tag : image.tags)
            EXPECT_FALSE(tag.starts_with("caisson-trial:")) << tag;
}

TEST_F(DockerSandbox, AnImageThatIsNotThereIsSaidSo)
{
    runtime_world world(docker_root);
    auto spec = world.spec();
    spec.image = "caisson-no-such-image:1";
    const auto made = world.run(world.rt().create(spec));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::image_unavailable) << made.error().detail;
    EXPECT_TRUE(run_directory::list(world.data_dir() + "/run").empty());
}

TEST_F(DockerSandbox, ATreeThatIsNotThereIsAFailure)
{
    runtime_world world(docker_root);
    auto spec = world.spec();
    spec.trees.push_back({world.data_dir() + "/nothing", "scripts"});
    const auto made = world.run(world.rt().create(spec));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable) << made.error().detail;
    EXPECT_TRUE(run_directory::list(world.data_dir() + "/run").empty());
}

/// An engine that crashes takes no sandbox along; the next one ends them.
TEST_F(DockerSandbox, OutlivesItsEngineUntilTheNextOne)
{
    own_engine engine;
    runtime_world world(docker_root);
    const auto box = world.start();
    const auto other = world.start();
    engine.kill();
    EXPECT_EQ(world.run_program(*box, world.echo("still here")).out, "still here");
    EXPECT_TRUE(world.run(world.rt().left_overs()).has_error());
    EXPECT_TRUE(world.run(other->destroy()).has_error()) << "a container cannot be removed without its engine";
    EXPECT_TRUE(world.run(other->connect()).has_error()) << "but nothing in it runs";
    engine.start();
    EXPECT_EQ(world.run(box->ended()).substr(0, 55), "the engine ended the container when it was restarted (e");
    world.destroy(*other);
    world.destroy(*box);
    EXPECT_TRUE(run_directory::list(world.data_dir() + "/run").empty());
    EXPECT_TRUE(world.groups().sandbox_names().empty());
}

}    // namespace

}    // namespace caisson::testing
