#include "tests/adapters/containers/engine_runtime_fixture.hpp"

namespace caisson::docker {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EngineSandbox : public EngineRuntime { };

TEST_F(EngineSandbox, EndedTellsOfAKill)
{
    const auto box = started();
    auto& events = there.on("GET", "/events").stream();
    const auto end_of_it = begin(box->ended());
    settle();
    EXPECT_FALSE(end_of_it->done());
    EXPECT_THAT(there.requests("GET", "/events").at(0).query_value("filters"), HasSubstr("caisson.sandbox=" + box->id().str()));
    tell(box->id(), {.state = "exited", .exit_code = 137});
    events.chunk(event("kill", "9") + event("die"));
    EXPECT_EQ(end(*end_of_it), "the container was killed from outside, or by the engine as it stopped (signal 9)");
    const auto connected = run(box->connect());
    ASSERT_TRUE(connected.has_error());
    EXPECT_EQ(connected.error().code, errc::runtime_unavailable);
}

TEST_F(EngineSandbox, EndedTellsOfMemoryAndSoDoesTheGroup)
{
    const auto box = started();
    auto& events = there.on("GET", "/events").stream();
    const auto group = open_group(*box);
    const auto end_of_it = begin(box->ended());
    settle();
    EXPECT_EQ(group->usage().oom_kills, 0);
    tell(box->id(), {.state = "exited", .exit_code = 137, .oom_killed = true});
    events.chunk(event("oom") + event("die"));
    EXPECT_THAT(end(*end_of_it), HasSubstr("ran out of memory"));
    EXPECT_EQ(group->usage().oom_kills, 1);
}

TEST_F(EngineSandbox, EndedIsFoundWithoutEventsToo)
{
    const auto box = started();
    there.on("GET", "/events").stream();
    const auto end_of_it = begin(box->ended());
    settle();
    there.forget("GET", "/containers/c1/json");
    EXPECT_EQ(pass_until_done(*end_of_it), "the container was removed from outside");
}

TEST_F(EngineSandbox, AnEngineThatRestartsWithoutItsContainersIsTheCause)
{
    const auto box = started();
    there.on("GET", "/events").stream();
    const auto end_of_it = begin(box->ended());
    settle();
    there.go_down();
    settle();
    for (int i = 0; i < 20; ++i) {
        time.advance(500ms);
        settle();
    }
    EXPECT_FALSE(end_of_it->done()) << "nothing is known of a container while its engine is away";
    const auto connecting = begin(box->connect());
    auto& connected = pass_until_done(*connecting);
    ASSERT_TRUE(connected.has_error());
    EXPECT_EQ(connected.error().code, errc::timed_out) << "worth another try";
    tell(box->id(), {.state = "exited", .exit_code = 255});
    there.come_up();
    EXPECT_EQ(pass_until_done(*end_of_it), "the engine ended the container when it was restarted (exit 255)");
}

TEST_F(EngineSandbox, AnEngineThatRestartsWithItsContainersIsNoEnd)
{
    const auto box = started();
    there.on("GET", "/events").stream();
    const auto end_of_it = begin(box->ended());
    settle();
    there.go_down();
    settle();
    there.come_up();
    for (int i = 0; i < 100; ++i) {
        time.advance(100ms);
        settle();
    }
    EXPECT_FALSE(end_of_it->done());
    tell(box->id(), {.state = "exited", .exit_code = 3});
    EXPECT_EQ(pass_until_done(*end_of_it), "the agent exited with status 3");
}

TEST_F(EngineSandbox, UsageIsReadFromTheEngineWhereTheGroupIsNotSeen)
{
    const auto box = started();
    there.on("GET", "/events").stream();
    there.on("GET", "/containers/c1/stats")
        .json(200, json::parse(R"({"read":"2026-01-01T00:00:00Z","cpu_stats":{"cpu_usage":{"total_usage":7000000}},
                                  "memory_stats":{"usage":1000,"max_usage":2000}})"));
    const auto group = open_group(*box);
    EXPECT_FALSE(group->usage().cpu_us);
    const auto end_of_it = begin(box->ended());
    for (int i = 0; i < 10; ++i) {
        time.advance(100ms);
        settle();
    }
    EXPECT_EQ(group->usage().cpu_us, 7000);
    EXPECT_EQ(group->usage().memory_peak_bytes, 2000);
    EXPECT_TRUE(group->join_descriptors().empty());
    tell(box->id(), {.state = "exited"});
    pass_until_done(*end_of_it);
    EXPECT_EQ(group->usage().cpu_us, 7000) << "the last reading stays";
}

TEST_F(EngineSandbox, AGroupThatIsKilledWhilePausedIsThawed)
{
    const auto box = started();
    auto& events = there.on("GET", "/events").stream();
    there.on("POST", "/containers/c1/unpause").empty(204);
    const auto group = open_group(*box);
    const auto end_of_it = begin(box->ended());
    settle();
    group->kill();
    settle();
    EXPECT_THAT(there.requests("POST", "/containers/c1/unpause"), IsEmpty()) << "the agent kills";
    tell(box->id(), {.state = "paused"});
    events.chunk(event("pause"));
    settle();
    group->kill();
    settle();
    EXPECT_THAT(there.requests("POST", "/containers/c1/unpause"), SizeIs(1));
    tell(box->id(), {.state = "exited", .exit_code = 0});
    pass_until_done(*end_of_it);
}

TEST_F(EngineSandbox, NobodyConnectsToAPausedContainer)
{
    const auto box = started();
    there.on("POST", "/containers/c1/attach").fails(409, "Container c1 is paused, unpause the container before attach");
    tell(box->id(), {.state = "paused"});
    const auto connected = run(box->connect());
    ASSERT_TRUE(connected.has_error());
    EXPECT_EQ(connected.error().code, errc::timed_out);
    EXPECT_THAT(connected.error().detail, HasSubstr("paused"));
}

TEST_F(EngineSandbox, StopAndDestroyAreBounded)
{
    const auto box = started();
    there.on("POST", "/containers/c1/kill");
    const auto stopping = begin(box->stop());
    EXPECT_TRUE(pass_until_done(*stopping).has_error());
    there.forget("DELETE", "/containers/c1");
    there.on("DELETE", "/containers/c1");
    const auto destroying = begin(box->destroy());
    EXPECT_TRUE(pass_until_done(*destroying).has_error());
    there.go_down();
    EXPECT_TRUE(run(box->destroy()).has_error());
}

TEST_F(EngineSandbox, DestroyTellsWhoWaitsForTheEnd)
{
    const auto box = started();
    there.on("GET", "/events").stream();
    const auto end_of_it = begin(box->ended());
    settle();
    EXPECT_TRUE(run(box->destroy()).has_value());
    EXPECT_EQ(pass_until_done(*end_of_it), "this server ended the container");
}

}    // namespace

}    // namespace caisson::docker
