#include "adapters/process/process_runtime.hpp"

#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdlib.h>
#include <unistd.h>

namespace caisson {

namespace {

using caisson::testing::run_task;

/// A process runtime with the launcher and agent of a test's choice.
class ProcessRuntime : public ::testing::Test {
protected:
    ProcessRuntime() { EXPECT_NE(::mkdtemp(data.data()), nullptr); }
    ~ProcessRuntime() override { std::filesystem::remove_all(data); }

    process_runtime make(const std::string& launch, const std::string& agent)
    {
        const local_services services{context.get_executor(), time, log, workers, groups};
        return {services, {.data_dir = data, .instance = "test", .launch_path = launch, .agent_path = agent}};
    }
    /// How starting a sandbox fails; destroying it must leave nothing.
    std::string start_failure(process_runtime runtime)
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

    std::string data = "/tmp/caisson-process-XXXXXX";
    const std::string programs = CAISSON_BINARY_DIR;
    asio::io_context context;
    system_timers time;
    null_logger log;
    worker_pool workers{"work", 1};
    cgroup_tree groups{std::make_shared<system_cgroup_io>(), cgroup_options_of_this_process("process-test-" + std::to_string(::getpid()))};
};

TEST_F(ProcessRuntime, IsUnavailableWithoutItsPrograms)
{
    auto without_agent = make(programs + "/caisson-launch", data + "/nothing");
    run_task(context, without_agent.probe());
    EXPECT_FALSE(without_agent.capabilities().available);
    EXPECT_EQ(
        without_agent.capabilities().unavailable_reason, data + "/nothing cannot be executed: it belongs beside the server's executable");
    EXPECT_EQ(start_failure(make(programs + "/caisson-launch", data + "/nothing")), data + "/nothing: No such file or directory");
    EXPECT_NE(start_failure(make(data + "/nothing", programs + "/caisson-agent")).find("No such file or directory"), std::string::npos);
}

TEST_F(ProcessRuntime, IsUnavailableWithAnAgentThatDoesNotAnswer)
{
    auto broken = make(programs + "/caisson-launch", "/bin/false");
    run_task(context, broken.probe());
    EXPECT_FALSE(broken.capabilities().available);
    EXPECT_NE(broken.capabilities().unavailable_reason, "");
    EXPECT_TRUE(std::filesystem::is_empty(data + "/run"));
}

TEST_F(ProcessRuntime, SaysThatItDoesNotIsolate)
{
    auto runtime = make(programs + "/caisson-launch", programs + "/caisson-agent");
    EXPECT_FALSE(runtime.capabilities().available) << "before it was tried";
    run_task(context, runtime.probe());
    EXPECT_TRUE(runtime.capabilities().available) << runtime.capabilities().unavailable_reason;
    EXPECT_FALSE(runtime.capabilities().isolates);
    const auto& degraded = runtime.capabilities().degraded;
    EXPECT_TRUE(std::ranges::any_of(degraded, [](const auto& each) { return each.control == "isolation"; }));
}

}    // namespace

}    // namespace caisson
