#include "tests/adapters/containers/engine_runtime_fixture.hpp"

namespace caisson::docker {

namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct recover_case {
    const char* name;
    told how;
    errc code;
    const char* why;
};

void PrintTo(const recover_case& of, std::ostream* out) { *out << of.name; }

class EngineRecover : public EngineRuntime, public ::testing::WithParamInterface<recover_case> { };

TEST_P(EngineRecover, OfWhatDoesNotRunIsGoneAndRemovesIt)
{
    auto box = started();
    const auto id = box->id();
    const auto state = box->runtime_state();
    box.reset();
    tell(id, GetParam().how);
    there.on("GET", "/containers/json").json(200, json::array{listed(id, "c1", GetParam().how)});
    const auto recovering = begin(runtime.recover(id, state));
    const auto& found = pass_until_done(*recovering);
    ASSERT_TRUE(found.has_error());
    EXPECT_EQ(found.error().code, GetParam().code);
    EXPECT_THAT(found.error().detail, HasSubstr(GetParam().why));
    EXPECT_THAT(there.requests("DELETE", "/containers/c1"), SizeIs(1));
    EXPECT_TRUE(services.live->empty());
}

INSTANTIATE_TEST_SUITE_P(Cases, EngineRecover,
    ::testing::Values(    //
        recover_case{"exited", {.state = "exited", .exit_code = 1}, errc::gone, "the agent exited with status 1"},
        recover_case{"killed", {.state = "exited", .exit_code = 137}, errc::gone, "killed from outside"},
        recover_case{"never_started", {.state = "created"}, errc::gone, "never started"},
        recover_case{"of_the_other_link", {.link = "socket"}, errc::gone, "configured otherwise"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(EngineRuntime, RecoverTakesUpWhatRuns)
{
    auto box = started();
    const auto id = box->id();
    const auto state = box->runtime_state();
    box.reset();
    for (const auto& how : {told{}, told{.state = "paused"}}) {
        tell(id, how);
        const auto found = run(runtime.recover(id, state));
        ASSERT_TRUE(found.has_value()) << found.error().detail;
        EXPECT_EQ((*found)->id(), id);
        EXPECT_EQ(json::parse((*found)->runtime_state()).at("container"), "c1");
    }
}

TEST_F(EngineRuntime, RecoverOfOneThatRanOutOfMemoryIsOneThatHasJustEndedSo)
{
    auto box = started();
    const auto id = box->id();
    const auto state = box->runtime_state();
    box.reset();
    const told how{.state = "exited", .exit_code = 137, .oom_killed = true};
    tell(id, how);
    there.on("GET", "/events").stream();
    there.on("GET", "/containers/json").json(200, json::array{listed(id, "c1", how)});
    const auto found = run(runtime.recover(id, state));
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    EXPECT_THAT(run((*found)->ended()), HasSubstr("ran out of memory"));
    EXPECT_EQ(open_group(**found)->usage().oom_kills, 1);
    EXPECT_TRUE(run((*found)->connect()).has_error());
    EXPECT_TRUE(run((*found)->destroy()).has_value());
    EXPECT_THAT(there.requests("DELETE", "/containers/c1"), SizeIs(1));
}

TEST_F(EngineRuntime, RecoverOfOneThatRanOutOfMemoryKnowsItFromEventsOfThePast)
{
    auto box = started();
    const auto id = box->id();
    const auto state = box->runtime_state();
    box.reset();
    const told how{.state = "exited", .exit_code = 137};    // an engine that heard of the memory after the end keeps no flag
    tell(id, how);
    there.on("GET", "/events").stream().chunk(event("die") + event("oom"));
    const auto found = run(runtime.recover(id, state));
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    EXPECT_THAT(run((*found)->ended()), HasSubstr("ran out of memory"));
    EXPECT_EQ(open_group(**found)->usage().oom_kills, 1);
    EXPECT_EQ(there.requests("GET", "/events").at(0).query_value("since"), "0.000000000");
}

TEST_F(EngineRuntime, AProgramThatLackedMemoryLongBeforeIsNotWhyItEnded)
{
    auto box = started();
    const auto id = box->id();
    const auto state = box->runtime_state();
    box.reset();
    const told how{.state = "exited", .exit_code = 137};
    tell(id, how);
    auto before = event("oom");
    before.replace(before.find("1700000001"), 10, "1699999901");
    there.on("GET", "/events").stream().chunk(before + event("die"));
    there.on("GET", "/containers/json").json(200, json::array{listed(id, "c1", how)});
    const auto recovering = begin(runtime.recover(id, state));
    const auto& found = pass_until_done(*recovering);
    ASSERT_TRUE(found.has_error());
    EXPECT_THAT(found.error().detail, HasSubstr("killed from outside"));
}

TEST_F(EngineRuntime, EventsOfThePastAreHeardWithoutARecordToo)
{
    auto box = started();
    const auto id = box->id();
    box.reset();
    const told how{.state = "exited", .exit_code = 137};
    tell(id, how);
    there.on("GET", "/events").stream().chunk(event("kill", "10") + event("die") + event("oom"));
    there.on("GET", "/containers/json").json(200, json::array{listed(id, "c1", how)});
    const auto found = run(runtime.recover(id, ""));
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    EXPECT_THAT(run((*found)->ended()), HasSubstr("ran out of memory")) << "a signal of long before is no cause";
}

TEST_F(EngineRuntime, RecoverOfOneWhoseProgramRanOutOfMemoryStillKnowsIt)
{
    auto box = started();
    const auto id = box->id();
    const auto state = box->runtime_state();
    box.reset();
    tell(id, {.oom_killed = true});
    const auto found = run(runtime.recover(id, state));
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    EXPECT_EQ(open_group(**found)->usage().oom_kills, 1);
}

TEST_F(EngineRuntime, RecoverFindsItByItsLabelsWithoutARecord)
{
    auto box = started();
    const auto id = box->id();
    box.reset();
    there.on("GET", "/containers/json").json(200, json::array{listed(id, "c1")});
    for (const char* state : {"", "nonsense", R"({"runtime":"bubblewrap"})"}) {
        const auto found = run(runtime.recover(id, state));
        ASSERT_TRUE(found.has_value()) << found.error().detail;
        EXPECT_EQ((*found)->work_directory(), "/workspace");
    }
}

TEST_F(EngineRuntime, RecoverWithoutAContainerIsGone)
{
    auto box = started();
    const auto id = box->id();
    const auto state = box->runtime_state();
    box.reset();
    there.forget("GET", "/containers/c1/json");
    there.on("GET", "/containers/json").json(200, json::array());
    const auto with_record = run(runtime.recover(id, state));
    ASSERT_TRUE(with_record.has_error());
    EXPECT_EQ(with_record.error().code, errc::gone);
    EXPECT_THAT(with_record.error().detail, HasSubstr("removed from outside"));
    const auto without = run(runtime.recover(id, ""));
    ASSERT_TRUE(without.has_error());
    EXPECT_EQ(without.error().code, errc::gone);
}

TEST_F(EngineRuntime, RecoverWhileTheEngineIsAwayKnowsNothing)
{
    auto box = started();
    const auto id = box->id();
    const auto state = box->runtime_state();
    box.reset();
    there.go_down();
    const auto found = run(runtime.recover(id, state));
    ASSERT_TRUE(found.has_error());
    EXPECT_NE(found.error().code, errc::gone);
    there.come_up();
    EXPECT_TRUE(run(runtime.recover(id, state)).has_value());
}

}    // namespace

}    // namespace caisson::docker
