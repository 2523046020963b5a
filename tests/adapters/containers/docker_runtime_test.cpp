#include "adapters/containers/docker_runtime.hpp"

#include "adapters/containers/engine_record.hpp"
#include "adapters/engine/container_end.hpp"
#include "adapters/host/run_directory.hpp"
#include "core/async/deadline.hpp"
#include "tests/adapters/containers/fixture.hpp"
#include "tests/adapters/host/scratch_directory.hpp"

#include <boost/json/parse.hpp>

#include <filesystem>
#include <unistd.h>

namespace caisson::docker {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// A docker runtime whose engine does what the test says. There are no groups.
class DockerRuntime : public imposter_test {
protected:
    DockerRuntime()
    {
        fs::create_directory(options.local.data_dir);
        there.on("GET", "/containers/json").json(200, json::array());
        there.on("GET", "/images/busybox/json").json(200, json::object{{"Id", "sha256:1"}});
        there.on("GET", "/images/json").json(200, json::array());
    }

    sandbox_spec spec() { return {.id = ids.make<sandbox_id>(), .limits = {64 << 20, 1000, 32, 4 << 20, 64}}; }
    result<std::unique_ptr<sandbox>> create() { return run(runtime.create(spec())); }
    json::object labels_of(const std::string& id) const
    {
        return {{"caisson.instance", "test"}, {"caisson.runtime", "docker"}, {"caisson.sandbox", id}};
    }
    json::array listing(const std::string& container, const std::string& id) const
    {
        return {json::object{{"Id", container}, {"Names", {"/caisson-" + id}}, {"State", "created"}, {"Labels", labels_of(id)}}};
    }
    static json::object state_of(std::string_view state, pid_t pid)
    {
        return {{"Id", "c1"}, {"Name", "/caisson-x"}, {"Image", "sha256:1"}, {"Config", {{"Image", "busybox"}, {"Labels", json::object()}}},
            {"State", {{"Status", state}, {"Pid", pid}, {"ExitCode", 0}, {"OOMKilled", false}, {"Error", ""}}}};
    }
    void expect_nothing_left()
    {
        EXPECT_TRUE(run_directory::list(options.local.data_dir + "/run").empty());
        EXPECT_TRUE(!fs::exists(options.uid_lock_dir) || fs::is_empty(options.uid_lock_dir));
    }

    caisson::testing::scratch_directory scratch;
    docker_options options{
        .local = {.data_dir = scratch.path() + "/data", .instance = "test", .launch_path = "", .agent_path = "/bin/true"},
        .default_image = "busybox",
        .uid_lock_dir = scratch.path() + "/uids"};
    null_logger log;
    worker_pool workers{"work", 1};
    cgroup_tree groups{std::make_shared<system_cgroup_io>(), {.instance = "test"}};
    id_factory ids{time};
    docker_runtime runtime{{context.get_executor(), time, log, workers, groups}, on, options};
};

TEST_F(DockerRuntime, AnImageThatTheEngineDoesNotHaveIsNamed)
{
    there.on("POST", "/containers/create").fails(404, "No such image: busybox:latest");
    const auto made = create();
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::image_unavailable);
    EXPECT_NE(made.error().detail.find("busybox"), std::string::npos) << made.error().detail;
    expect_nothing_left();
}

TEST_F(DockerRuntime, AnImageMustBeNamed)
{
    options.default_image.clear();
    docker_runtime without{{context.get_executor(), time, log, workers, groups}, on, options};
    const auto made = run(without.create(spec()));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_TRUE(there.requests("POST", "/containers/create").empty());
    expect_nothing_left();
}

TEST_F(DockerRuntime, WhatIsLeftWhenTheEngineGoesIsRemovedWhenItIsBack)
{
    there.go_down();
    const auto made = create();
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    const auto left = run_directory::list(options.local.data_dir + "/run");
    ASSERT_EQ(left.size(), 1u) << "the engine may have begun to make it";
    const auto kept = run(runtime.remove_left_over(left.front(), ""));
    ASSERT_TRUE(kept.has_error());
    EXPECT_EQ(kept.error().code, errc::runtime_unavailable);
    there.come_up();
    time.advance(10s);
    EXPECT_EQ(run(runtime.left_overs()).value(), left);
    EXPECT_TRUE(run(runtime.remove_left_over(left.front(), "")).has_value());
    expect_nothing_left();
}

TEST_F(DockerRuntime, AContainerWhoseAnswerWasLostIsFoundByItsLabels)
{
    const auto wanted = spec();
    there.on("POST", "/containers/create").cut();
    there.forget("GET", "/containers/json");
    there.on("GET", "/containers/json").json(200, listing("c7", wanted.id.str()));
    there.on("DELETE", "/containers/c7").empty(204);
    const auto made = run(runtime.create(wanted));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(there.requests("DELETE", "/containers/c7").size(), 1u);
    expect_nothing_left();
}

TEST_F(DockerRuntime, ForeignContainersAreNotTouched)
{
    auto foreign = listing("c7", ids.make<sandbox_id>().str());
    foreign[0].as_object()["Labels"].as_object()["caisson.instance"] = "another";
    there.forget("GET", "/containers/json");
    there.on("GET", "/containers/json").json(200, foreign);
    EXPECT_TRUE(run(runtime.left_overs()).value().empty());
    EXPECT_TRUE(run(runtime.remove_left_over(ids.make<sandbox_id>(), "")).has_value());
    EXPECT_TRUE(there.requests("DELETE", "/containers/c7").empty());
}

TEST_F(DockerRuntime, ASweepDoesNotWaitTwiceForAnEngineThatHangs)
{
    there.forget("GET", "/containers/json");
    there.on("GET", "/containers/json");
    const auto sweep = begin(runtime.left_overs());
    run(there.until_requests("GET", "/containers/json", 1));
    time.advance(3s);
    EXPECT_TRUE(end(*sweep).has_error());
    there.forget("GET", "/containers/json");
    there.on("GET", "/containers/json").json(200, json::array());
    EXPECT_TRUE(run(runtime.remove_left_over(ids.make<sandbox_id>(), "")).has_error());
    EXPECT_EQ(there.requests("GET", "/containers/json").size(), 1u);
    time.advance(10s);
    EXPECT_TRUE(run(runtime.left_overs()).has_value());
}

TEST_F(DockerRuntime, AnEngineThatIsBackIsAskedAtOnce)
{
    there.go_down();
    EXPECT_TRUE(run(runtime.left_overs()).has_error());
    there.come_up();
    EXPECT_TRUE(run(runtime.remove_left_over(ids.make<sandbox_id>(), "")).has_value());
    EXPECT_TRUE(run(runtime.left_overs()).has_value());
}

TEST_F(DockerRuntime, AnEngineThatHangsIsGivenUpSoon)
{
    there.forget("GET", "/containers/json");
    there.on("GET", "/containers/json");
    const auto sweep = begin(runtime.left_overs());
    run(there.until_requests("GET", "/containers/json", 1));
    settle();
    EXPECT_FALSE(sweep->done());
    time.advance(3s);
    EXPECT_TRUE(end(*sweep).has_error());
}

TEST_F(DockerRuntime, TheContainerIsForTheAgentAlone)
{
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
    there.on("DELETE", "/containers/c1").empty(204);
    const auto made = create();
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    const auto asked = json::parse(there.requests("POST", "/containers/create").at(0).body);
    const json::array argv{"/.caisson/agent", "--confine", "--work", "/workspace", "--connect", "/.caisson/link/s"};
    EXPECT_EQ(asked.at("Entrypoint"), argv);
    EXPECT_EQ(asked.at("User"), "700000:700000");
    EXPECT_EQ(asked.at("OpenStdin"), false);
    EXPECT_EQ(json::parse((*made)->runtime_state()).at("container").at("id"), "c1");
    EXPECT_TRUE(run((*made)->destroy()).has_value());
    expect_nothing_left();
}

TEST_F(DockerRuntime, OfAnImageFilesAndPathAloneCount)
{
    const json::object config{{"Volumes", {{"/data", json::object()}}}, {"Env", {"PATH=/bin", "LD_PRELOAD=/x"}}};
    there.forget("GET", "/images/busybox/json");
    there.on("GET", "/images/busybox/json").json(200, json::object{{"Id", "sha256:1"}, {"Config", config}});
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
    there.on("DELETE", "/containers/c1").empty(204);
    const auto made = create();
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    const auto asked = json::parse(there.requests("POST", "/containers/create").at(0).body);
    EXPECT_EQ(asked.at("Env"), json::array{"LD_PRELOAD"});
    EXPECT_TRUE(asked.at("HostConfig").at("Tmpfs").as_object().contains("/data"));
    EXPECT_TRUE(run((*made)->destroy()).has_value());
}

TEST_F(DockerRuntime, AnImageThatWantsTheKernelsFilesIsRefused)
{
    there.forget("GET", "/images/busybox/json");
    there.on("GET", "/images/busybox/json").json(200, json::object{{"Id", "sha256:1"}, {"Config", {{"Volumes", {{"/", json::object()}}}}}});
    const auto made = create();
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::image_not_allowed);
    EXPECT_TRUE(there.requests("POST", "/containers/create").empty());
    expect_nothing_left();
}

TEST_F(DockerRuntime, AContainerWithoutItsLimitsIsNotUsed)
{
    const json::array warnings{"Your kernel does not support memory limit capabilities. Limitation discarded."};
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}, {"Warnings", warnings}});
    there.on("DELETE", "/containers/c1").empty(204);
    const auto made = create();
    ASSERT_TRUE(made.has_error()) << "there are no groups of the server's";
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_NE(made.error().detail.find("Limitation discarded"), std::string::npos) << made.error().detail;
    EXPECT_EQ(there.requests("DELETE", "/containers/c1").size(), 1u);
    expect_nothing_left();
}

TEST_F(DockerRuntime, ATrialImageWithoutAContainerIsALeftOver)
{
    const auto id = ids.make<sandbox_id>();
    there.forget("GET", "/images/json");
    there.on("GET", "/images/json").json(200, json::array{json::object{{"Id", "sha256:2"}, {"RepoTags", {"caisson-trial:" + id.str()}}}});
    there.on("DELETE", "/images/caisson-trial%3A" + id.str()).json(200, json::array());
    EXPECT_EQ(run(runtime.left_overs()).value(), std::vector{id});
    EXPECT_TRUE(run(runtime.remove_left_over(id, "")).has_value());
    EXPECT_EQ(there.requests("DELETE", "/images/caisson-trial%3A" + id.str()).size(), 1u);
}

TEST_F(DockerRuntime, WhatWasReachedOverItsStdioIsNotTakenUpAndGoes)
{
    const auto id = ids.make<sandbox_id>();
    engine_record record{.runtime = "docker", .container = "c7"};
    record.stamp(time.steady_now());
    there.forget("GET", "/containers/json");
    there.on("GET", "/containers/json").json(200, listing("c7", id.str()));
    there.on("DELETE", "/containers/c7").empty(204);
    const auto found = run(runtime.recover(id, record.to_json()));
    ASSERT_TRUE(found.has_error());
    EXPECT_EQ(found.error().code, errc::gone);
    EXPECT_EQ(found.error().detail, of_another_kind);
    EXPECT_EQ(there.requests("DELETE", "/containers/c7").size(), 1u);
    expect_nothing_left();
}

TEST_F(DockerRuntime, AMakingThatIsCancelledLeavesNothing)
{
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
    there.on("DELETE", "/containers/c1").empty(204);
    auto either = race(runtime.create(spec()), there.until_requests("POST", "/containers/create", 1));
    EXPECT_EQ(run(std::move(either)).index(), 1u);
    EXPECT_EQ(there.requests("DELETE", "/containers/c1").size(), 1u);
    expect_nothing_left();
}

TEST_F(DockerRuntime, AnyProcessIsNotTheAgent)
{
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
    there.on("POST", "/containers/c1/start").empty(204);
    there.on("GET", "/containers/c1/json").json(200, state_of("running", ::getpid()));
    there.on("DELETE", "/containers/c1").empty(204);
    const auto made = create();
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    const auto started = run(runtime.start(**made));
    ASSERT_TRUE(started.has_error());
    EXPECT_NE(started.error().detail.find("is not the container's agent"), std::string::npos) << started.error().detail;
    EXPECT_TRUE(run((*made)->destroy()).has_value());
    expect_nothing_left();
}

TEST_F(DockerRuntime, WhatTheOciRuntimeSaysIsTold)
{
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
    there.on("POST", "/containers/c1/start").fails(400, "OCI runtime create failed: no space left on device");
    there.on("DELETE", "/containers/c1").empty(204);
    const auto made = create();
    const auto started = run(runtime.start(**made));
    ASSERT_TRUE(started.has_error());
    EXPECT_EQ(started.error().code, errc::runtime_unavailable);
    EXPECT_NE(started.error().detail.find("no space left"), std::string::npos) << started.error().detail;
    EXPECT_TRUE(run((*made)->destroy()).has_value());
}

TEST_F(DockerRuntime, DestroyingIsTriedAgain)
{
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
    there.on("DELETE", "/containers/c1").fails(500, "device or resource busy");
    there.on("DELETE", "/containers/c1").empty(204);
    const auto made = create();
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    EXPECT_TRUE(run((*made)->destroy()).has_error());
    EXPECT_EQ(run_directory::list(options.local.data_dir + "/run").size(), 1u) << "its record is needed";
    EXPECT_TRUE(run((*made)->destroy()).has_value());
    expect_nothing_left();
}

TEST_F(DockerRuntime, IsUnavailableWithoutItsEngine)
{
    docker_runtime tried{{context.get_executor(), time, log, workers, groups}, on, options};
    there.go_down();
    run(tried.probe());
    EXPECT_FALSE(tried.capabilities().available);
    EXPECT_NE(tried.capabilities().unavailable_reason, "");
    expect_nothing_left();
}

}    // namespace

}    // namespace caisson::docker
