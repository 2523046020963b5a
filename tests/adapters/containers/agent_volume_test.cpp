#include "tests/adapters/containers/engine_runtime_fixture.hpp"

#include "tests/adapters/host/scratch_directory.hpp"

#include <filesystem>
#include <fstream>

namespace caisson::docker {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// An engine that does not see this host's files.
class AgentVolume : public EngineRuntime {
protected:
    AgentVolume()
    {
        options.agent_path = scratch.path() + "/agent";
        options.agent_volume = "caisson-agent-0011223344556677";
        std::ofstream(options.agent_path) << "ELF";
    }
    void plan_helper()
    {
        there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
        there.on("PUT", "/containers/c1/archive").empty(200);
        there.on("DELETE", "/containers/c1").empty(204);
        is_made_at("2026-11-22T07:00:00Z");
    }
    std::string volume() const { return "/volumes/" + options.agent_volume; }
    void is_made_at(const char* when)
    {
        there.forget("GET", volume());
        there.on("GET", volume()).json(200, json::object{{"Name", options.agent_volume}, {"CreatedAt", when}});
    }
    std::size_t writes() { return there.requests("PUT", "/containers/c1/archive").size(); }

    caisson::testing::scratch_directory scratch;
};

TEST_F(AgentVolume, IsFilledOnceByAContainerThatNeverRuns)
{
    plan_helper();
    engine_runtime remote(services, workers, options);
    for (int i = 0; i < 2; ++i) {
        auto made = run(remote.create(spec()));
        ASSERT_TRUE(made.has_value()) << made.error().detail;
    }
    const auto created = there.requests("POST", "/containers/create");
    ASSERT_THAT(created, SizeIs(3));
    const auto helper = json::parse(created[0].body).at("HostConfig").at("Mounts").at(0);
    EXPECT_EQ(helper.at("Type"), "volume");
    EXPECT_EQ(helper.at("ReadOnly"), false);
    const auto box = json::parse(created[1].body);
    EXPECT_EQ(box.at("HostConfig").at("Mounts").at(0).at("Source"), json::value(options.agent_volume));
    EXPECT_EQ(box.at("HostConfig").at("Mounts").at(0).at("ReadOnly"), true);
    EXPECT_EQ(box.at("Entrypoint").at(0), "/.caisson/bin/agent");
    EXPECT_EQ(writes(), 2u) << "the agent, then the mark that it is whole";
    EXPECT_THAT(there.requests("DELETE", "/containers/c1"), SizeIs(1));
    EXPECT_THAT(there.requests("POST", "/containers/c1/start"), IsEmpty());
}

TEST_F(AgentVolume, ThatIsGoneIsFilledAnew)
{
    plan_helper();
    engine_runtime remote(services, workers, options);
    ASSERT_TRUE(run(remote.create(spec())).has_value());
    EXPECT_EQ(writes(), 2u);
    there.forget("GET", volume());
    ASSERT_TRUE(run(remote.create(spec())).has_value());
    EXPECT_EQ(writes(), 4u);
    is_made_at("2026-11-22T07:00:01Z");
    ASSERT_TRUE(run(remote.create(spec())).has_value());
    EXPECT_EQ(writes(), 6u) << "what was there before";
    is_made_at("2026-11-22T07:00:02Z");
    ASSERT_TRUE(run(remote.create(spec())).has_value());
    EXPECT_EQ(writes(), 8u) << "a container of somebody's made it, empty";
    ASSERT_TRUE(run(remote.create(spec())).has_value());
    EXPECT_EQ(writes(), 8u);
}

TEST_F(AgentVolume, OfWhichTheEngineTellsNothingIsNotFilledForThat)
{
    plan_helper();
    engine_runtime remote(services, workers, options);
    ASSERT_TRUE(run(remote.create(spec())).has_value());
    there.forget("GET", volume());
    there.on("GET", volume()).fails(500, "no answer");
    const auto failed = run(remote.create(spec()));
    ASSERT_TRUE(failed.has_error());
    EXPECT_EQ(failed.error().code, errc::runtime_unavailable);
    EXPECT_EQ(writes(), 2u);
}

task<result<void>> create_one(engine_runtime* in, sandbox_spec wanted)
{
    auto made = co_await in->create(std::move(wanted));
    co_return made.has_error() ? result<void>(made.error()) : result<void>();
}

TEST_F(AgentVolume, TwoAtOnceFillItOnce)
{
    plan_helper();
    there.forget("PUT", "/containers/c1/archive");
    auto& filling = there.on("PUT", "/containers/c1/archive");
    there.on("PUT", "/containers/c1/archive").empty(200);
    engine_runtime remote(services, workers, options);
    const auto first = begin(create_one(&remote, spec()));
    run(there.until_requests("PUT", "/containers/c1/archive", 1));
    const auto second = begin(create_one(&remote, spec()));
    settle();
    EXPECT_THAT(there.requests("POST", "/containers/create"), SizeIs(1)) << "the helper of the first";
    filling.empty(200);
    EXPECT_TRUE(end(*first).has_value());
    EXPECT_TRUE(end(*second).has_value());
    EXPECT_EQ(writes(), 2u);
    EXPECT_THAT(there.requests("POST", "/containers/create"), SizeIs(3));
}

TEST_F(AgentVolume, ThatAnEarlierServerFilledIsUsed)
{
    plan_helper();
    there.on("GET", "/containers/c1/archive").whole(200, {}, "tar");
    engine_runtime remote(services, workers, options);
    ASSERT_TRUE(run(remote.create(spec())).has_value());
    EXPECT_EQ(writes(), 0u);
}

TEST_F(AgentVolume, ThatCannotBeFilledIsTriedAgain)
{
    plan_helper();
    there.forget("PUT", "/containers/c1/archive");
    there.on("PUT", "/containers/c1/archive").fails(500, "no space left on device");
    engine_runtime remote(services, workers, options);
    const auto failed = run(remote.create(spec()));
    ASSERT_TRUE(failed.has_error());
    EXPECT_THAT(failed.error().detail, HasSubstr("no space left"));
    there.forget("PUT", "/containers/c1/archive");
    there.on("PUT", "/containers/c1/archive").empty(200);
    EXPECT_TRUE(run(remote.create(spec())).has_value());
}

TEST_F(AgentVolume, PackagesAreRefusedInWords)
{
    engine_runtime remote(services, workers, options);
    auto wanted = spec();
    wanted.trees.push_back({"/data/x", "scripts"});
    const auto made = run(remote.create(wanted));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::not_implemented);
}

TEST_F(AgentVolume, PackagesComeInVolumesToo)
{
    plan_helper();
    std::filesystem::create_directories(scratch.path() + "/skills/ten_1/aa/tree");
    package_volumes packages(context.get_executor(), on, log, workers, {.instance = "test", .trees = scratch.path() + "/skills"});
    const std::string volume = "caisson-package-test-ten_1.aa.tree";
    json::array made_there{json::object{{"Name", volume}}, json::object{{"Name", volume + ".whole-1024"}}};
    there.on("GET", "/volumes").json(200, json::object{{"Volumes", nullptr}});
    there.on("GET", "/volumes").json(200, json::object{{"Volumes", nullptr}});    // is there room?
    there.on("GET", "/volumes").json(200, json::object{{"Volumes", std::move(made_there)}});
    services.packages = &packages;
    engine_runtime remote(services, workers, options);
    auto wanted = spec();
    wanted.trees.push_back({scratch.path() + "/skills/ten_1/aa/tree", "scripts"});
    const auto made = run(remote.create(wanted));
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    const auto mounts = json::parse(there.requests("POST", "/containers/create").back().body).at("HostConfig").at("Mounts").as_array();
    ASSERT_EQ(mounts.size(), 2u);
    EXPECT_EQ(mounts[1].at("Type"), "volume");
    EXPECT_EQ(mounts[1].at("Source"), json::value(volume));
    EXPECT_EQ(mounts[1].at("Target"), "/workspace/scripts");
    EXPECT_EQ(mounts[1].at("ReadOnly"), true);
}

TEST_F(AgentVolume, APackageThatIsGoneWhenItIsMountedIsNotUsed)
{
    plan_helper();
    std::filesystem::create_directories(scratch.path() + "/skills/ten_1/aa/tree");
    package_volumes packages(context.get_executor(), on, log, workers, {.instance = "test", .trees = scratch.path() + "/skills"});
    there.on("GET", "/volumes").json(200, json::object{{"Volumes", nullptr}});
    services.packages = &packages;
    engine_runtime remote(services, workers, options);
    auto wanted = spec();
    wanted.trees.push_back({scratch.path() + "/skills/ten_1/aa/tree", "scripts"});
    const auto made = run(remote.create(wanted));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_THAT(there.requests("POST", "/containers/c1/start"), IsEmpty());
}

}    // namespace

}    // namespace caisson::docker
