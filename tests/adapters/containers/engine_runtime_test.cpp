#include "tests/adapters/containers/engine_runtime_fixture.hpp"

#include <algorithm>

namespace caisson::docker {

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

task<bool> probe(engine_runtime* of)
{
    co_await of->probe();
    co_return true;
}

TEST_F(EngineRuntime, AContainerIsForTheAgentOverItsStdio)
{
    const auto box = started();
    const auto asked = json::parse(there.requests("POST", "/containers/create").at(0).body);
    EXPECT_EQ(asked.at("Entrypoint"), (json::array{"/.caisson/agent", "--confine", "--work", "/workspace", "--stdio"}));
    EXPECT_EQ(asked.at("OpenStdin"), true);
    EXPECT_EQ(asked.at("StdinOnce"), false);
    EXPECT_EQ(asked.at("User"), "1000:1000");
    EXPECT_EQ(asked.at("HostConfig").at("Memory"), (64 + 4 + 64) << 20);
    EXPECT_EQ(json::parse(box->runtime_state()).at("container"), "c1");
    EXPECT_EQ(box->image_digest(), "sha256:1");
    EXPECT_TRUE(run(box->destroy()).has_value());
}

TEST_F(EngineRuntime, AnEngineOnALineThatAnybodyMayReadIsToldInEachRecord)
{
    const auto tells = [](const engine_runtime& of) {
        return std::ranges::any_of(of.capabilities().degraded, [](const auto& each) { return each.control == "engine"; });
    };
    engine far(context.get_executor(), time, {.address = "tcp://192.0.2.7:2375"});
    const engine_runtime remote({context.get_executor(), time, log, far}, workers, options);
    EXPECT_TRUE(tells(remote));
    EXPECT_FALSE(tells(runtime)) << "a socket of this host";
}

TEST_F(EngineRuntime, AnImageThatTheEngineDoesNotHaveIsNamed)
{
    there.on("POST", "/containers/create").fails(404, "No such image: busybox:latest");
    const auto made = run(runtime.create(spec()));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::image_unavailable);
    EXPECT_THAT(made.error().detail, HasSubstr("busybox"));
}

TEST_F(EngineRuntime, AnImageThatNobodyKnowsIsNamedBeforeAnythingIsMade)
{
    auto wanted = spec();
    wanted.image = "nosuch:1";
    const auto made = run(runtime.create(wanted));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::image_unavailable);
    EXPECT_THAT(made.error().detail, HasSubstr("nosuch:1"));
    EXPECT_THAT(there.requests("POST", "/containers/create"), IsEmpty());
}

TEST_F(EngineRuntime, AnAnswerAboutAnotherImageIsNotBelieved)
{
    there.forget("GET", "/images/busybox/json");
    there.on("GET", "/images/busybox/json").json(200, json::object{{"Id", "sha256:2"}, {"RepoTags", {"caisson-trial:x"}}});
    const auto made = run(runtime.create(spec()));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_THAT(made.error().detail, AllOf(HasSubstr("busybox"), HasSubstr("not called so")));
    EXPECT_THAT(there.requests("POST", "/containers/create"), IsEmpty());
}

TEST_F(EngineRuntime, OfAnImageFilesAndPathAloneCount)
{
    plan_image({"/data", "/tmp"}, {"PATH=/bin", "LD_PRELOAD=/x"});
    const auto box = started();
    const auto asked = json::parse(there.requests("POST", "/containers/create").at(0).body);
    EXPECT_EQ(asked.at("Env"), json::array{"LD_PRELOAD"}) << "without a value: taken out";
    EXPECT_EQ(asked.at("HostConfig").at("Tmpfs").at("/data"), "ro,nosuid,nodev,noexec,mode=0555,size=65536,nr_inodes=64");
    EXPECT_EQ(asked.at("HostConfig").at("Tmpfs").as_object().size(), 3u);
}

TEST_F(EngineRuntime, AnImageThatWantsTheKernelsFilesIsRefused)
{
    plan_image({"/proc/x"}, {});
    const auto made = run(runtime.create(spec()));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::image_not_allowed);
    EXPECT_THAT(made.error().detail, HasSubstr("/proc/x"));
    EXPECT_THAT(there.requests("POST", "/containers/create"), IsEmpty());
}

TEST_F(EngineRuntime, AContainerIsOfTheVeryImageThatWasLookedAt)
{
    const auto box = started();
    const auto asked = json::parse(there.requests("POST", "/containers/create").at(0).body);
    EXPECT_EQ(asked.at("Image"), "sha256:1") << "its name may stand for another one by now";
    EXPECT_EQ(asked.at("Labels").at("caisson.image"), "busybox");
}

TEST_F(EngineRuntime, AContainerOfAnotherImageIsNotUsed)
{
    const auto wanted = spec();
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
    there.on("POST", "/containers/c1/start").empty(204);
    there.on("DELETE", "/containers/c1").empty(204);
    tell(wanted.id, {});
    there.forget("GET", "/images/busybox/json");
    there.on("GET", "/images/busybox/json").json(200, json::object{{"Id", "sha256:2"}});
    const auto made = run(runtime.create(wanted));
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    const auto done = run(runtime.start(**made));
    ASSERT_TRUE(done.has_error());
    EXPECT_EQ(done.error().code, errc::runtime_unavailable);
    EXPECT_THAT(
        done.error().detail, AllOf(HasSubstr("another image than busybox"), HasSubstr("asked for sha256:2"), HasSubstr("of \"sha256:1\"")));
}

TEST_F(EngineRuntime, AContainerWithoutItsLimitsIsNotUsed)
{
    const json::array warnings{"Your kernel does not support pids limit capabilities. PIDs limit discarded."};
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}, {"Warnings", warnings}});
    there.on("DELETE", "/containers/c1").empty(204);
    const auto made = run(runtime.create(spec()));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_THAT(made.error().detail, HasSubstr("PIDs limit discarded"));
    EXPECT_THAT(there.requests("DELETE", "/containers/c1"), SizeIs(1)) << "nothing stays";
}

TEST_F(EngineRuntime, AWarningOfWhatTheEngineNeverHadIsNoFailure)
{
    const json::array warnings{"Your kernel does not support pids limit capabilities. PIDs limit discarded."};
    there.on("GET", "/info").json(200, json::object{{"MemTotal", 1}, {"PidsLimit", false}, {"Runtimes", {{"runc", json::object()}}}});
    there.on("POST", "/images/create").fails(500, "the probe goes no further");
    run(runtime.probe());
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}, {"Warnings", warnings}});
    EXPECT_TRUE(run(runtime.create(spec())).has_value()) << "`degraded` says so";
    EXPECT_FALSE(runtime.capabilities().enforces_pids);
}

TEST_F(EngineRuntime, DisksThatItDoesNotSeeAreToldAsNotBounded)
{
    const auto tells = [&](bool sees_disks, std::int64_t bytes_per_s) {
        options.sees_disks = sees_disks;
        options.disk_reads = {.bytes_per_s = bytes_per_s};
        const engine_runtime made(services, workers, options);
        return std::ranges::count(made.capabilities().degraded, "disk_reads", &degradation::control);
    };
    EXPECT_EQ(tells(false, 5), 1);
    EXPECT_EQ(tells(true, 5), 0);
    EXPECT_EQ(tells(false, 0), 0) << "nothing is to be bounded";
}

TEST_F(EngineRuntime, ATrialImageOfAKilledServerGoes)

{
    const auto own = spec().id;
    const auto held = started();
    json::array images{json::object{{"Id", "sha256:2"}, {"RepoTags", {"caisson-trial:" + own.str(), "other:1"}}},
        json::object{{"Id", "sha256:3"}, {"RepoTags", {"caisson-trial:" + held->id().str(), "caisson-trial:x"}}}};
    there.forget("GET", "/images/json");
    there.on("GET", "/images/json").json(200, std::move(images));
    there.on("GET", "/containers/json").json(200, json::array());
    there.on("DELETE", "/images/caisson-trial%3A" + own.str()).json(200, json::array());
    EXPECT_THAT(run(runtime.left_overs()).value(), ElementsAre(own));
    EXPECT_EQ(there.requests("GET", "/images/json").at(0).query_value("filters"),
        R"({"label":["caisson.instance=test","caisson.runtime=docker"]})");
    EXPECT_TRUE(run(runtime.remove_left_over(own, "")).has_value());
    EXPECT_THAT(there.requests("DELETE", "/images/caisson-trial%3A" + own.str()), SizeIs(1));
}

TEST_F(EngineRuntime, AnImageMustBeNamed)
{
    options.default_image.clear();
    engine_runtime without(services, workers, options);
    const auto made = run(without.create(spec()));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_THAT(there.requests("POST", "/containers/create"), IsEmpty());
}

TEST_F(EngineRuntime, WhatTheEngineRefusesIsTheRuntimesFailure)
{
    there.on("POST", "/containers/create").fails(400, "no such option");
    const auto made = run(runtime.create(spec()));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_THAT(made.error().detail, HasSubstr("no such option"));
}

TEST_F(EngineRuntime, AContainerWhoseAnswerWasLostIsRemovedByItsName)
{
    const auto wanted = spec();
    there.on("POST", "/containers/create").cut();
    there.on("DELETE", "/containers/caisson-" + wanted.id.str()).empty(204);
    const auto made = run(runtime.create(wanted));
    ASSERT_TRUE(made.has_error());
    EXPECT_THAT(there.requests("DELETE", "/containers/caisson-" + wanted.id.str()), SizeIs(1));
    EXPECT_TRUE(services.live->empty());
}

TEST_F(EngineRuntime, AnEngineThatIsAwayIsTheRuntimesFailure)
{
    there.go_down();
    const auto made = run(runtime.create(spec()));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_TRUE(run(runtime.left_overs()).has_error());
    EXPECT_TRUE(run(runtime.remove_left_over(spec().id, "")).has_error()) << "what is there is not known";
}

TEST_F(EngineRuntime, AnEngineThatHangsIsGivenUpSoon)
{
    there.on("GET", "/containers/json");
    const auto sweep = begin(runtime.left_overs());
    run(there.until_requests("GET", "/containers/json", 1));
    settle();
    EXPECT_FALSE(sweep->done());
    time.advance(5s);
    EXPECT_TRUE(end(*sweep).has_error());
}

TEST_F(EngineRuntime, OnlyItsOwnAreLeftOvers)
{
    const auto own = spec().id;
    const auto foreign = spec().id;
    json::array all{listed(own, "c1"), listed(foreign, "c2", {.instance = "another"})};
    there.on("GET", "/containers/json").json(200, std::move(all));
    EXPECT_THAT(run(runtime.left_overs()).value(), ElementsAre(own));
    EXPECT_THAT(there.requests("GET", "/containers/json").at(0).query_value("filters"), HasSubstr("caisson.instance=test"));
}

TEST_F(EngineRuntime, ALeftOverGoesWithAllItsContainersAndItsProbesImage)
{
    const auto id = spec().id;
    there.on("GET", "/containers/json").json(200, json::array{listed(id, "c1"), listed(id, "c2")});
    there.on("DELETE", "/containers/c1").empty(204);
    there.on("DELETE", "/containers/c2").empty(204);
    EXPECT_TRUE(run(runtime.remove_left_over(id, "")).has_value());
    EXPECT_THAT(there.requests("DELETE", "/containers/c1"), SizeIs(1));
    EXPECT_THAT(there.requests("DELETE", "/containers/c2"), SizeIs(1));
}

TEST_F(EngineRuntime, WhatIsHeldIsNoLeftOver)
{
    const auto box = started();
    there.on("GET", "/containers/json").json(200, json::array{listed(box->id(), "c1")});
    EXPECT_THAT(run(runtime.left_overs()).value(), IsEmpty());
    const auto removed = run(runtime.remove_left_over(box->id(), ""));
    ASSERT_TRUE(removed.has_error());
    EXPECT_EQ(removed.error().code, errc::conflict);
    EXPECT_THAT(there.requests("DELETE", "/containers/c1"), IsEmpty());
}

TEST_F(EngineRuntime, ProbeSaysThatNoEngineIsThere)
{
    there.go_down();
    run(runtime.probe());
    EXPECT_FALSE(runtime.capabilities().available);
    EXPECT_THAT(runtime.capabilities().unavailable_reason, HasSubstr("no engine answers at unix://"));
}

TEST_F(EngineRuntime, ProbeSaysHowToRegisterARuntime)
{
    there.on("GET", "/info").json(200, json::object{{"MemTotal", 1}, {"Runtimes", {{"runc", json::object()}}}});
    options.name = "gvisor";
    options.engine_runtime = "runsc";
    engine_runtime gvisor(services, workers, options);
    run(gvisor.probe());
    EXPECT_FALSE(gvisor.capabilities().available);
    EXPECT_THAT(gvisor.capabilities().unavailable_reason, HasSubstr("register it in the engine's daemon.json"));
}

TEST_F(EngineRuntime, ProbesImageIsKnownAsTheServersOwn)
{
    there.on("GET", "/info").json(200, json::object{{"MemTotal", 1}, {"Runtimes", {{"runc", json::object()}}}});
    there.on("POST", "/images/create").json(200, json::object{{"status", "sha256:1"}});
    run(runtime.probe());
    EXPECT_FALSE(runtime.capabilities().available);
    const auto image = there.requests("POST", "/images/create").at(0);
    EXPECT_EQ(image.query_value("repo"), "caisson-trial");
    EXPECT_EQ(image.query_value("changes"), "LABEL caisson.instance=test");
    const auto name = "/images/caisson-trial%3A" + std::string(image.query_value("tag"));
    EXPECT_THAT(there.requests("DELETE", name), SizeIs(1)) << "and goes";
}

TEST_F(EngineRuntime, ProbeOfARuntimeThatHangsEndsAndSaysWhatToDo)
{
    there.on("GET", "/info").json(200, json::object{{"MemTotal", 1}, {"MemoryLimit", false}, {"Runtimes", {{"runsc", json::object()}}}});
    there.on("POST", "/containers/create").json(201, json::object{{"Id", "c1"}});
    there.on("POST", "/containers/c1/start");
    there.on("DELETE", "/containers/c1").empty(204);
    options.name = "gvisor";
    options.engine_runtime = "runsc";
    options.trial_image = "busybox";
    engine_runtime gvisor(services, workers, options);
    const auto probing = begin(probe(&gvisor));
    pass_until_done(*probing);
    EXPECT_FALSE(gvisor.capabilities().available);
    EXPECT_THAT(gvisor.capabilities().unavailable_reason, HasSubstr("--platform=systrap"));
    EXPECT_FALSE(gvisor.traits().protects_agent);
    EXPECT_FALSE(gvisor.capabilities().enforces_memory);
    EXPECT_THAT(there.requests("DELETE", "/containers/c1"), SizeIs(1)) << "nothing stays";
}

}    // namespace

}    // namespace caisson::docker
