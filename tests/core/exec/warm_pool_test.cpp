#include "core/protocol/collect_stream.hpp"
#include "tests/core/exec/warm_pool_fixture.hpp"

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;

TEST_F(WarmPool, KeepsSandboxesReadyAndGivesEachAwayOnce)
{
    keep();
    EXPECT_EQ(w.runtime.created(), 2u);
    const auto first = w.run();
    const auto second = w.run();
    EXPECT_NE(w.row(first).sandbox, w.row(second).sandbox);
    EXPECT_TRUE(box_of(first).is_claimed);
    EXPECT_TRUE(w.row(first).stages.claim_ms.has_value() || w.find(first)->stages.claim_ms.has_value());
    EXPECT_FALSE(w.find(first)->stages.start_ms.has_value()) << "a record says whether it was made for the execution";
    EXPECT_TRUE(w.advance_until([&] { return ready() == 2; })) << "others come in their place";
    for (const auto& id : {first, second}) {
        box_of(id).agent->exit(0);
        EXPECT_EQ(w.ended(id).status, execution_status::success);
        EXPECT_TRUE(w.advance_until([&] { return box_of(id).destroyed; }));
    }
    EXPECT_EQ(w.runtime.live(), 2u);
}

TEST_F(WarmPool, MakingWaitsWhileFilesAreCollectedButNotForLong)
{
    keep();
    auto spec = w.program();
    spec.collect.patterns = {"out/**"};
    const auto first = w.run(spec);
    ASSERT_TRUE(w.advance_until([&] { return ready() == 2; }));
    auto& agent = *box_of(first).agent;
    agent.collector_hangs = true;
    agent.collected = [](const protocol::spawn_request&) { return std::string(protocol::collect_magic); };
    agent.exit(0);
    ASSERT_TRUE(w.advance_until([&] { return agent.collections.size() == 1; }));
    const auto created = w.runtime.created();
    const auto second = w.run();
    const auto third = w.run();
    EXPECT_TRUE(box_of(second).is_claimed);
    EXPECT_TRUE(box_of(third).is_claimed);
    EXPECT_EQ(ready(), 0u);
    w.advance(100ms);
    EXPECT_EQ(ready(), 0u);
    EXPECT_LE(w.runtime.created(), created + 2) << "by two makers, which stand still";
    w.advance(1s);
    EXPECT_GE(ready(), 2u) << "nobody collects for ever";
}

TEST_F(WarmPool, GivesTheLimitsOfTheExecutionWhenItIsClaimed)
{
    keep();
    auto spec = w.program();
    spec.limits.memory_bytes *= 2;
    spec.limits.pids = 7;
    const auto id = w.run(spec);
    EXPECT_EQ(box_of(id).claimed_limits, limits_of(spec));
    box_of(id).agent->exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
}

TEST_F(WarmPool, WhereLimitsCannotBeChangedOneIsMade)
{
    w.runtime.adapts = false;
    keep();
    auto spec = w.program();
    spec.limits.memory_bytes *= 2;
    const auto id = w.run(spec);
    EXPECT_FALSE(box_of(id).is_claimed);
    EXPECT_EQ(ready(), 2u);
}

TEST_F(WarmPool, AnotherDiskIsAnotherKind)
{
    keep();
    auto spec = w.program();
    spec.limits.disk_bytes *= 2;
    const auto id = w.run(spec);
    EXPECT_FALSE(box_of(id).is_claimed);
    EXPECT_TRUE(w.find(id)->stages.start_ms.has_value());
}

TEST_F(WarmPool, WhatIsAskedForTwiceIsKeptAndGoesWhenNobodyAsksAnyMore)
{
    run_once();
    w.advance(1s);
    EXPECT_EQ(ready(), 0u) << "once is no demand";
    run_once();
    EXPECT_TRUE(w.advance_until([&] { return ready() == 1; }));
    EXPECT_TRUE(box_of(run_once()).is_claimed);
    EXPECT_TRUE(w.advance_until([&] { return ready() == 2; }));
    w.advance(70s, 1s);
    EXPECT_EQ(ready(), 0u);
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST_F(WarmPool, FollowsHowManyAreAskedForAtOnceWithinItsBounds)
{
    run_at_once(4);
    EXPECT_TRUE(w.advance_until([&] { return ready() == 4; }));
    w.advance(1s);
    EXPECT_EQ(ready(), 4u);
}

class SmallPool : public WarmPool {
protected:
    SmallPool() : WarmPool({.idle = 2, .most = 8, .most_bytes = 3 << 20}) { }
};

TEST_F(SmallPool, HoldsNoMoreMemoryThanItMay)
{
    std::vector<execution_id> all;
    for (int i = 0; i < 4; ++i)
        all.push_back(w.run());
    w.advance(2s);
    EXPECT_EQ(ready(), 3u);
}

TEST_F(SmallPool, AKindOfWhichNoneIsReadyGetsAPlaceOfOneThatHasMany)
{
    run_at_once(4);
    EXPECT_TRUE(w.advance_until([&] { return ready() == 3; }));
    auto other = w.program();
    other.limits.disk_bytes *= 2;
    run_once(other);
    run_once(other);
    w.advance(1s);
    EXPECT_EQ(ready(), 3u);
    EXPECT_TRUE(box_of(run_once(other)).is_claimed);
}

TEST_F(SmallPool, KindsDoNotTakePlacesFromEachOtherInTurns)
{
    keep();
    auto other = w.program();
    other.limits.disk_bytes *= 2;
    run_at_once(4, other);
    run_at_once(4, other);
    run_once();
    run_once();
    w.advance(5s);
    const auto created = w.runtime.created();
    w.advance(20s, 100ms);
    EXPECT_EQ(w.runtime.created(), created) << "nothing was asked for meanwhile";
    EXPECT_EQ(ready(), 3u);
}

TEST_F(WarmPool, AProgramWaitsWhereThereIsAGroupToJoin)
{
    keep();
    EXPECT_FALSE(w.box(0).agent->parked.has_value());
    w.runtime.prepare = [](testing::fake_box& box) { box.join = {2}; };
    run_once();
    EXPECT_TRUE(w.advance_until([&] { return ready() == 2; }));
    auto& box = w.box(w.runtime.created() - 1);
    ASSERT_TRUE(box.agent->parked.has_value());
    EXPECT_TRUE(box.agent->parked->is_bare());
    EXPECT_EQ(box.agent->parked_for, exec_numbers::first_program);
    run_once();
    EXPECT_EQ(w.find(run_once())->stages.interpreter, "") << "it is no interpreter";
}

TEST_F(WarmPool, OneThatEndsWhileItWaitsIsReplaced)
{
    keep();
    w.agent(0).die("somebody killed it");
    EXPECT_TRUE(w.advance_until([&] { return ready() == 2 && w.runtime.created() == 3; }));
    EXPECT_TRUE(w.box(0).destroyed);
    EXPECT_EQ(w.row(run_once()).status, execution_status::success);
}

TEST_F(WarmPool, OneThatCannotBeClaimedIsDestroyedAndTheNextIsTaken)
{
    keep();
    w.runtime.fail_next(call::claim, {errc::runtime_unavailable, "the group is gone"});
    const auto id = w.run();
    EXPECT_EQ(w.row(id).sandbox, w.box(1).spec.id);
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed; }));
}

TEST_F(WarmPool, WhatCannotBeMadeIsTriedAgainLaterAndExecutionsDoNotWaitForIt)
{
    for (int i = 0; i < 4; ++i)
        w.runtime.fail_next(call::start, {errc::runtime_unavailable, "no room"});
    w.service().keep_ready(shape());
    w.turn();
    EXPECT_EQ(ready(), 0u);
    EXPECT_TRUE(w.advance_until([&] { return ready() == 2; }));
    EXPECT_EQ(w.runtime.live(), 2u) << "what could not be started is gone";
    EXPECT_EQ(w.row(run_once()).status, execution_status::success);
}

TEST_F(WarmPool, ARuntimeThatDoesNotWorkIsLeftAlone)
{
    w.runtime.host.available = false;
    w.service().keep_ready(shape());
    w.advance(20s, 100ms);
    EXPECT_EQ(w.runtime.created(), 0u);
    w.runtime.host.available = true;
    EXPECT_TRUE(w.advance_until([&] { return ready() == 2; }));
}

TEST_F(WarmPool, NothingIsLeftWhenTheServerStops)
{
    keep();
    w.hand_over();
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST_F(WarmPool, NothingIsLeftOfWhatIsBeingMadeWhenTheServerStops)
{
    w.runtime.gate_of(call::start).cork();
    w.service().keep_ready(shape());
    w.turn();
    EXPECT_EQ(w.runtime.created(), 2u);
    w.hand_over();
    EXPECT_EQ(w.runtime.live(), 0u);
}

TEST_F(WarmPool, WhatAKilledServerKeptIsSwept)
{
    keep();
    w.kill_server();
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_TRUE(w.box(0).destroyed);
    EXPECT_TRUE(w.box(1).destroyed);
}

TEST_F(WarmPool, AnExecutionInAClaimedSandboxSurvivesItsServer)
{
    keep();
    const auto id = w.run();
    auto& box = box_of(id);
    box.agent->print("before;");
    w.turn();
    w.kill_server();
    EXPECT_TRUE(w.start_server().has_value());
    box.agent->print("after");
    box.agent->exit(3);
    EXPECT_EQ(w.ended(id).exit_code, 3);
    EXPECT_EQ(w.stored(id), "[queued][running]1:before;after[usage][exit]") << "no event was stored before";
    EXPECT_TRUE(w.advance_until([&] { return box.destroyed; }));
}

TEST_F(WarmPool, AnImageThatChangedIsAnotherKind)
{
    w.runtime.images = true;
    w.images.present = {"python:3", "python:4"};
    auto spec = w.program();
    spec.image = "python:3";
    run_once(spec);
    run_once(spec);
    EXPECT_TRUE(w.advance_until([&] { return ready() >= 1; }));
    EXPECT_TRUE(box_of(run_once(spec)).is_claimed);
    auto other = spec;
    other.image = "python:4";
    EXPECT_FALSE(box_of(run_once(other)).is_claimed);
}

/// As WarmPool, and its sandboxes have an interpreter that waits, for what is a Python program.
class WarmInterpreters : public WarmPool {
protected:
    WarmInterpreters() : WarmPool({.idle = 0, .most = 8, .most_bytes = 256 << 20, .interpreters = true}) { }

    static execution_spec python(std::string file = "main.py")
    {
        auto spec = service_world::program();
        spec.kind = execution_kind::code;
        spec.language = "python";
        spec.argv = {"/usr/bin/python3", "-u", std::move(file)};
        return spec;
    }
    /// How the last of three that were run one after the other was started, when one is ready for it.
    std::string third(const execution_spec& spec)
    {
        run_once(spec);
        run_once(spec);
        w.advance_until([&] { return ready() > 0; });
        return w.find(run_once(spec))->stages.interpreter;
    }
};

TEST_F(WarmInterpreters, ArePartOfAKindOfTheirOwn)
{
    auto spec = python();
    EXPECT_EQ(third(spec), "warm");
    EXPECT_TRUE(w.advance_until([&] { return ready() == 1; }));
    auto& box = w.box(w.runtime.created() - 1);
    ASSERT_TRUE(box.agent->parked.has_value());
    const auto& parked = *box.agent->parked;
    EXPECT_EQ(parked.program.argv, spec.argv);
    EXPECT_EQ(parked.program.cwd, "/workspace");
    EXPECT_EQ(parked.file_name, "sitecustomize.py");
    spec.argv.emplace_back("argument");
    spec.env["TOKEN"] = "x";
    EXPECT_EQ(w.find(run_once(spec))->stages.interpreter, "warm");
    EXPECT_EQ(box_of(run_once()).agent->parked, std::nullopt) << "what is no Python program is of another kind";
}

TEST_F(WarmInterpreters, ASandboxWhoseInterpreterCannotWaitServesAllTheSame)
{
    w.runtime.prepare = [](testing::fake_box& box) { box.agent->park_code = ENOENT; };
    const auto spec = python();
    EXPECT_EQ(third(spec), "cold");
    const auto id = run_once(spec);
    EXPECT_TRUE(box_of(id).is_claimed);
}

TEST_F(WarmInterpreters, OneThatDoesNotAnswerIsDestroyed)
{
    w.runtime.prepare = [](testing::fake_box& box) { box.agent->park_hangs = true; };
    const auto spec = python();
    run_once(spec);
    run_once(spec);
    w.advance(40s, 1s);
    EXPECT_EQ(ready(), 0u);
    EXPECT_EQ(w.find(run_once(spec))->stages.interpreter, "cold");
}

TEST_F(WarmInterpreters, OneWithoutServesWhereNoneIsReady)
{
    run_once();
    run_once();
    EXPECT_TRUE(w.advance_until([&] { return ready() > 0; }));
    const auto id = run_once(python("other.py"));
    EXPECT_TRUE(box_of(id).is_claimed);
    EXPECT_EQ(w.find(id)->stages.interpreter, "cold");
}

}    // namespace
}    // namespace caisson
