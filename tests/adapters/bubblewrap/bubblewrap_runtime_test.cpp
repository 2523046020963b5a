#include "adapters/bubblewrap/bubblewrap_runtime.hpp"

#include "adapters/crypto/digest.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <unistd.h>

namespace caisson {

namespace {

using caisson::testing::run_task;

/// A bubblewrap runtime with programs of a test's choice in the places of bwrap and the agent.
class BubblewrapFailure : public ::testing::Test {
protected:
    BubblewrapFailure() { EXPECT_NE(::mkdtemp(data.data()), nullptr); }
    ~BubblewrapFailure() override { std::filesystem::remove_all(data); }

    bubblewrap_runtime make(const std::string& bwrap, const std::string& agent_path, namespace_maker maker = namespace_maker::bwrap)
    {
        const local_services services{context.get_executor(), time, log, workers, groups};
        return {services,
            {.local = {.data_dir = data, .instance = "test", .launch_path = programs + "/caisson-launch", .agent_path = agent_path},
                .maker = maker,
                .bwrap_path = bwrap,
                .uid_lock_dir = data + "/uids",
                .digests = {&md5_hex, &sha256_hex}}};
    }
    std::string unavailable(bubblewrap_runtime runtime)
    {
        run_task(context, runtime.probe());
        EXPECT_FALSE(runtime.capabilities().available);
        return runtime.capabilities().unavailable_reason;
    }
    /// How starting a sandbox fails; destroying it must leave nothing.
    std::string start_failure(bubblewrap_runtime runtime)
    {
        auto created =
            run_task(context, runtime.create({.id = id_factory(time).make<sandbox_id>(), .limits = {1 << 26, 500, 8, 1 << 20, 10}}));
        if (created.has_error())
            return created.error().detail;
        const auto started = run_task(context, runtime.start(**created));
        EXPECT_TRUE(run_task(context, (*created)->destroy()).has_value());
        EXPECT_TRUE(std::filesystem::is_empty(data + "/run"));
        EXPECT_TRUE(groups.sandbox_names().empty());
        return started.has_error() ? started.error().detail : "no failure";
    }

    std::string data = "/tmp/caisson-bubblewrap-XXXXXX";
    const std::string programs = CAISSON_BINARY_DIR;
    const std::string agent = programs + "/caisson-agent";
    asio::io_context context;
    system_timers time;
    null_logger log;
    worker_pool workers{"work", 1};
    cgroup_tree groups{
        std::make_shared<system_cgroup_io>(), cgroup_options_of_this_process("bubblewrap-test-" + std::to_string(::getpid()))};
};

TEST_F(BubblewrapFailure, WithoutBwrapSaysHowToInstallIt)
{
    EXPECT_EQ(unavailable(make("/nonexistent/bwrap", agent)),
        "/nonexistent/bwrap cannot be executed: install bubblewrap 0.8 or newer (apt-get install bubblewrap)");
}

TEST_F(BubblewrapFailure, WithoutTheAgentSaysWhereItBelongs)
{
    EXPECT_EQ(unavailable(make("/usr/bin/bwrap", "/nonexistent/agent")),
        "/nonexistent/agent cannot be executed: it belongs beside the server's executable");
}

TEST_F(BubblewrapFailure, OfBwrapIsToldByItsOwnWords)
{
    const auto failure = start_failure(make("/bin/mkdir", agent));    // complains of bwrap's options
    EXPECT_NE(failure.find("unrecognized option"), std::string::npos) << failure;
    EXPECT_NE(unavailable(make("/bin/mkdir", agent)).find("unrecognized option"), std::string::npos);
}

/// The launcher makes the sandbox where root runs it, and then has nothing that it could execute.
TEST_F(BubblewrapFailure, OfTheLaunchersLastStepIsToldAndLeavesNothing)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root's launcher makes sandboxes";
    std::filesystem::permissions(data, std::filesystem::perms(0711));
    const auto broken = data + "/broken";
    std::ofstream(broken) << "neither a program nor a script";
    std::filesystem::permissions(broken, std::filesystem::perms(0755));
    EXPECT_EQ(start_failure(make("/bin/false", broken, namespace_maker::automatic)), "the launcher failed: execve: Exec format error");
}

/// Its link would be followed to the host's own file.
TEST_F(BubblewrapFailure, AnAgentThatIsALinkIsLeftToBwrap)
{
    std::filesystem::permissions(data, std::filesystem::perms(0711));
    std::filesystem::create_symlink(agent, data + "/link");
    EXPECT_EQ(start_failure(make("/bin/false", data + "/link", namespace_maker::automatic)), "bwrap did not make the sandbox");
}

TEST_F(BubblewrapFailure, OfASilentBwrapIsTold) { EXPECT_EQ(start_failure(make("/bin/false", agent)), "bwrap did not make the sandbox"); }

}    // namespace

}    // namespace caisson
