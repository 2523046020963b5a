#include "tests/core/exec/warm_pool_fixture.hpp"

/// Programs that are started in a ready sandbox while their execution is recorded, and the end of such sandboxes.
namespace caisson {
namespace {

using namespace std::chrono_literals;

TEST_F(WarmPool, TheEndOfASandboxDoesNotHoldUpWhoWaitsForItsPlace)
{
    service_world one({.max_running = 1, .pool = pool_bounds{.idle = 2, .most = 8, .most_bytes = 64 << 20}});
    one.service().keep_ready(shape());
    EXPECT_TRUE(one.advance_until([&] { return one.service().ready_sandboxes("fake") == 2; }));
    holds(one.box(0), 0);
    const auto first = one.run();
    const auto waiting = one.submit();
    EXPECT_EQ(one.waiting(), 1u);
    one.box(0).agent->exit(0);
    one.turn();
    EXPECT_EQ(to_string(one.find(first)->status), "success");
    EXPECT_EQ(to_string(one.find(waiting)->status), "running") << "no time has passed";
}

TEST_F(WarmPool, TheEndOfASandboxDoesNotKeepTheLastPlace)
{
    service_world one({.max_running = 1, .max_queued = 0, .pool = pool_bounds{.idle = 2, .most = 8, .most_bytes = 64 << 20}});
    one.service().keep_ready(shape());
    EXPECT_TRUE(one.advance_until([&] { return one.service().ready_sandboxes("fake") == 2; }));
    holds(one.box(0), 0);
    const auto first = one.run();
    EXPECT_TRUE(one.try_submit().has_error());
    one.box(0).agent->exit(0);
    one.turn();
    EXPECT_EQ(to_string(one.find(first)->status), "success");
    EXPECT_TRUE(one.try_submit().has_value()) << "no time has passed";
}

TEST_F(WarmPool, TheEndOfASandboxThatHoldsLittleWaitsForALull)
{
    keep();
    holds(w.box(0), 4096);
    holds(w.box(1), 300 << 20);
    run_once();
    run_once();
    EXPECT_TRUE(w.box(1).destroyed);
    EXPECT_FALSE(w.box(0).destroyed) << "no time has passed";
    EXPECT_EQ(w.running(), 0u) << "neither has a place any more";
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed; }));
}

TEST_F(WarmPool, EndsThatWaitHoldOnlySoMuchTogether)
{
    keep();
    holds(w.box(0), 200 << 20);
    holds(w.box(1), 200 << 20);
    run_once();
    run_once();
    EXPECT_FALSE(w.box(0).destroyed);
    EXPECT_TRUE(w.box(1).destroyed);
}

TEST_F(WarmPool, OnlySoManyEndsWait)
{
    service_world one({.pool = pool_bounds{.idle = 2, .most = 8, .most_bytes = 64 << 20, .most_put_off = 1}});
    one.service().keep_ready(shape());
    EXPECT_TRUE(one.advance_until([&] { return one.service().ready_sandboxes("fake") == 2; }));
    for (const std::size_t each : {0, 1}) {
        holds(one.box(each), 0);
        const auto id = one.run();
        one.box(each).agent->exit(0);
        one.turn();
        EXPECT_EQ(to_string(one.find(id)->status), "success");
    }
    EXPECT_FALSE(one.box(0).destroyed) << "no time has passed";
    EXPECT_TRUE(one.box(1).destroyed);
}

TEST_F(WarmPool, NothingIsMadeInTheirPlaceBeforeProgramsRun)
{
    keep();
    w.executions.cork();
    const auto answer = w.begin(w.service().submit(w.tenant, w.program()));
    w.advance(1s);
    EXPECT_EQ(running_programs(), 1u);
    EXPECT_EQ(w.runtime.created(), 2u) << "another is ready";
    const auto next = w.begin(w.service().submit(w.tenant, w.program()));
    EXPECT_TRUE(w.advance_until([&] { return ready() > 0; })) << "now none is";
    w.executions.uncork();
    EXPECT_TRUE(w.advance_until([&] { return answer->done() && next->done() && ready() == 2; }));
}

TEST_F(WarmPool, AnAgentThatEndsBeforeItsProgramIsRecordedIsFoundOut)
{
    keep();
    w.executions.cork();
    const auto answer = w.begin(w.service().submit(w.tenant, w.program()));
    w.turn();
    w.agent(0).die("somebody killed it");
    w.executions.uncork();
    EXPECT_TRUE(w.advance_until([&] { return answer->done() && w.box(0).destroyed; }));
    EXPECT_TRUE(w.advance_until([&] { return w.running() == 0; }));
    EXPECT_TRUE(w.advance_until([&] { return ready() == 2; }));
}

TEST_F(WarmPool, ASkillWhosePackageIsThereRunsWhileItIsRecorded)
{
    auto asked = service_world::program();
    asked.kind = execution_kind::skill;
    asked.skill = skill_run{.name = "count", .version = "1.0.0", .digest = "abcd", .interpreter = "/bin/bash"};
    w.trees.packages["abcd"] = {};
    run_at_once(2, asked);
    const auto opened = w.trees.opened;
    EXPECT_TRUE(w.advance_until([&] { return ready() > 0; }));
    w.executions.cork();
    const auto before = w.runtime.created();
    const auto answer = w.begin(w.service().submit(w.tenant, asked));
    w.turn();
    EXPECT_EQ(running_programs(), 1u);
    EXPECT_EQ(w.runtime.created(), before);
    EXPECT_EQ(w.trees.opened, opened) << "it was there";
    w.executions.uncork();
    EXPECT_TRUE(w.advance_until([&] { return answer->done(); }));
}

TEST_F(WarmPool, AProgramRunsWhileItsExecutionIsRecorded)
{
    keep();
    w.executions.cork();
    const auto answer = w.begin(w.service().submit(w.tenant, service_world::program()));
    w.turn();
    auto& agent = *w.box(0).agent;
    ASSERT_TRUE(agent.is_running());
    agent.print("early");
    agent.exit(3);
    w.advance(100ms);
    EXPECT_FALSE(answer->done()) << "nothing is answered for yet";
    EXPECT_EQ(w.events.appends(), 0u) << "no log without a record";
    w.executions.uncork();
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_value());
    const auto id = (**answer->value).id;
    EXPECT_EQ(w.ended(id).exit_code, 3);
    EXPECT_EQ(w.stored(id), "[queued][running]1:early[usage][exit]");
    EXPECT_EQ(w.row(id).attempts.size(), 1u);
    EXPECT_EQ(w.sandboxes.row(*w.row(id).sandbox).tenant, w.tenant);
}

/// A runtime with images, which keeps what was asked for.
class WarmImage : public WarmPool {
protected:
    WarmImage()
    {
        w.runtime.images = true;
        w.images.present = {"bash:5"};
        w.images.knows_at_once = true;
        asked_.image = "bash:5";
        run_at_once(2, asked_);
        EXPECT_TRUE(w.advance_until([&] { return ready() > 0; }));
        w.executions.cork();
    }
    /// How many of its programs run before it is recorded.
    std::size_t programs_ahead()
    {
        answer_ = w.begin(w.service().submit(w.tenant, asked_));
        w.turn();
        return running_programs();
    }
    execution_id recorded_id()
    {
        w.executions.uncork();
        EXPECT_TRUE(w.advance_until([&] { return answer_->done() && running_programs() == 1; }));
        return (**answer_->value).id;
    }

private:
    execution_spec asked_ = service_world::program();
    std::shared_ptr<pending<result<execution_row>>> answer_;
};

TEST_F(WarmImage, ThatIsKnownIsRunWhileItIsRecorded)
{
    const auto finds = w.images.finds;
    EXPECT_EQ(programs_ahead(), 1u);
    const auto id = recorded_id();
    EXPECT_EQ(w.images.finds, finds) << "nobody was asked";
    EXPECT_EQ(w.row(id).image, "bash:5");
    EXPECT_EQ(w.row(id).image_digest, testing::digest_of("bash:5"));
    box_of(id).agent->exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
}

TEST_F(WarmImage, ThatHasToBeAskedForIsRecordedBefore)
{
    w.images.knows_at_once = false;
    EXPECT_EQ(programs_ahead(), 0u);
    recorded_id();
}

TEST_F(WarmImage, ThatIsAnotherOneByNowIsNotServedByWhatIsReady)
{
    const auto before = w.runtime.created();
    w.images.digests["bash:5"] = "sha256:other";
    EXPECT_EQ(programs_ahead(), 0u);
    recorded_id();
    EXPECT_GT(w.runtime.created(), before);
}

TEST_F(WarmPool, OneThatCannotBeRecordedIsRefusedAndNothingOfItStays)
{
    keep();
    w.executions.fail_next({errc::internal, "disk is broken"});
    EXPECT_TRUE(w.try_submit().has_error());
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed; }));
    EXPECT_TRUE(w.advance_until([&] { return w.running() == 0; }));
    EXPECT_EQ(w.executions.size(), 0u);
    EXPECT_EQ(w.sandboxes.size(), 0u);
    EXPECT_EQ(w.events.appends(), 0u);
    run_once();
}

TEST_F(WarmPool, AServerThatStopsWaitsForTheRecordOfWhatRuns)
{
    keep();
    w.executions.cork();
    const auto answer = w.begin(w.service().submit(w.tenant, service_world::program()));
    w.turn();
    const auto stop = w.begin(w.service().hand_over(w.time().steady_now() + 10s));
    w.advance(50ms);
    EXPECT_FALSE(stop->done());
    w.executions.uncork();
    EXPECT_TRUE(w.advance_until([&] { return stop->done(); }));
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_FALSE(w.box(0).destroyed) << "it goes on, for the next server";
    EXPECT_EQ(w.row((**answer->value).id).status, execution_status::running);
}

TEST_F(WarmPool, UnderAnIdempotencyKeyTheRecordComesFirst)
{
    keep();
    w.executions.cork();
    const idempotency_claim claim{"POST /v1/executions", "key", "fingerprint"};
    const auto answer = w.begin(w.service().submit_once(w.tenant, service_world::program(), claim));
    w.advance(50ms);
    EXPECT_FALSE(w.box(0).agent->is_running());
    w.executions.uncork();
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).agent->is_running(); }));
}

}    // namespace
}    // namespace caisson
