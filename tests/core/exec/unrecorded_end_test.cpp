#include "tests/core/exec/warm_pool_fixture.hpp"

/// Programs that end before their execution is recorded, for a caller who waits for the end: docs/adr/0019.
namespace caisson {
namespace {

using namespace std::chrono_literals;
using answer_type = std::shared_ptr<pending<result<execution_service::submission>>>;

class UnrecordedEnd : public WarmPool {
protected:
    UnrecordedEnd() { keep(); }
    /// Its program runs in the first sandbox that was ready.
    answer_type begin(execution_spec spec = service_world::program())
    {
        auto answer = w.begin(w.service().submit_awaited(w.tenant, std::move(spec)));
        w.turn();
        EXPECT_TRUE(agent().is_running());
        return answer;
    }
    testing::fake_agent& agent() { return *w.box(0).agent; }
    /// As it runs on, recorded, to its end.
    void expect_recorded_first(const answer_type& answer)
    {
        ASSERT_TRUE(answer->value && answer->value->has_value());
        EXPECT_EQ(to_string((*answer->value)->row.status), "running");
        EXPECT_EQ((*answer->value)->log, nullptr);
        EXPECT_EQ(w.executions.size(), 1u);
        EXPECT_EQ(w.sandboxes.size(), 1u);
    }
};

TEST_F(UnrecordedEnd, IsTheFirstThatIsRecordedAndIsReturned)
{
    const auto answer = begin();
    EXPECT_EQ(w.executions.size(), 0u);
    agent().print("short");
    agent().exit(3);
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_value()) << "no time has passed";
    auto& told = **answer->value;
    EXPECT_EQ(to_string(told.row.status), "failed");
    EXPECT_EQ(w.row(told.row.id).exit_code, 3);
    EXPECT_EQ(w.row(told.row.id).attempts.size(), 1u);
    EXPECT_EQ(w.stored(told.row.id), "[queued][running]1:short[usage][exit]");
    ASSERT_NE(told.log, nullptr);
    const auto reads = w.events.calls();
    EXPECT_EQ(w.read_now(*told.log), w.stored(told.row.id));
    EXPECT_EQ(w.events.calls(), reads) << "it was in memory";
    EXPECT_EQ(w.events.appends(), 0u);
    EXPECT_FALSE(w.executions.has_spec(told.row.id));
    EXPECT_EQ(to_string(w.find(told.row.id)->status), "failed");
}

TEST_F(UnrecordedEnd, LeavesNoRecordOfItsSandboxWhichIsRemoved)
{
    const auto answer = begin();
    agent().exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed; }));
    EXPECT_EQ((*answer->value)->row.sandbox, w.box(0).spec.id);
    EXPECT_EQ(w.sandboxes.size(), 0u);
    EXPECT_TRUE(w.advance_until([&] { return w.running() == 0; }));
    EXPECT_TRUE(w.log.errors.empty()) << w.log.errors.front();
}

TEST_F(UnrecordedEnd, OneThatTakesLongerIsRecordedMeanwhile)
{
    const auto answer = begin();
    w.advance(4ms, 1ms);
    EXPECT_FALSE(answer->done());
    w.advance(1ms, 1ms);
    expect_recorded_first(answer);
    agent().print("late");
    agent().exit(0);
    const auto id = (*answer->value)->row.id;
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    EXPECT_EQ(w.stored(id), "[queued][running]1:late[usage][exit]");
    EXPECT_EQ(w.executions.size(), 1u);
}

TEST_F(UnrecordedEnd, OneWhoseStreamsAreHeldOpenIsRecordedMeanwhile)
{
    const auto answer = begin();
    agent().exit_leaving_a_child(0);
    w.turn();
    EXPECT_FALSE(answer->done());
    w.advance(5ms, 1ms);
    ASSERT_TRUE(answer->done());
    EXPECT_EQ(w.ended((*answer->value)->row.id).status, execution_status::success);
    EXPECT_EQ(w.sandboxes.size(), 1u);
}

TEST_F(UnrecordedEnd, OneThatSaysMuchIsRecordedFirst)
{
    const auto answer = begin();
    agent().print(std::string(20'000, 'x'));
    agent().exit(0);
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_EQ(w.ended((*answer->value)->row.id).usage.output_bytes, 20'000);
    EXPECT_EQ(w.sandboxes.size(), 1u) << "it was recorded before its end";
    EXPECT_EQ(w.stored((*answer->value)->row.id), "[queued][running]1:" + std::string(20'000, 'x') + "[usage][exit]");
}

TEST_F(UnrecordedEnd, OneThatSaysTooMuchIsRecordedWithoutDelay)
{
    const auto answer = begin();
    agent().print(std::string(20'000, 'x'));
    w.turn();
    expect_recorded_first(answer);
}

/// What is held back, since it may be the begin of a character, may be too much in the end.
TEST_F(UnrecordedEnd, OneThatEndsWithinACharacterIsRecordedFirst)
{
    for (const std::int64_t most : {std::int64_t{1024}, service_world::program().limits.max_output_bytes}) {
        service_world other({.pool = pool_bounds{.idle = 2, .most = 8, .most_bytes = 64 << 20}});
        auto spec = service_world::program();
        spec.limits.max_output_bytes = most;
        other.service().keep_ready(shape());
        EXPECT_TRUE(other.advance_until([&] { return other.service().ready_sandboxes("fake") == 2; }));
        const auto answer = other.begin(other.service().submit_awaited(other.tenant, spec));
        other.box(0).agent->print(std::string(most == 1024 ? 1024 : 16'384, 'x') + "\xC3");
        other.box(0).agent->exit(0);
        other.turn();
        ASSERT_TRUE(answer->value && answer->value->has_value());
        EXPECT_EQ(to_string(other.ended((*answer->value)->row.id).status), "success");
        EXPECT_EQ(other.sandboxes.size(), 1u);
    }
}

TEST_F(UnrecordedEnd, OneThatMayBeGivenMoreInputIsRecordedFirst)
{
    auto spec = service_world::program();
    spec.stdin_open = true;
    expect_recorded_first(begin(spec));
}

TEST_F(UnrecordedEnd, AServerThatStopsWaitsForItsRecord)
{
    const auto answer = begin();
    w.executions.cork();
    agent().exit(0);
    const auto stop = w.begin(w.service().hand_over(w.time().steady_now() + 10s));
    w.advance(50ms);
    EXPECT_FALSE(stop->done() || answer->done());
    w.executions.uncork();
    EXPECT_TRUE(w.advance_until([&] { return stop->done(); }));
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_EQ(w.row((*answer->value)->row.id).status, execution_status::success);
}

TEST_F(UnrecordedEnd, OneThatDoesNotStartIsRecordedFirst)
{
    agent().start_code = ENOENT;
    const auto answer = w.begin(w.service().submit_awaited(w.tenant, service_world::program()));
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_EQ(w.ended((*answer->value)->row.id).verdict, verdict::runtime_error);
    EXPECT_EQ(w.sandboxes.size(), 1u);
}

TEST_F(UnrecordedEnd, IsNotAwaitedWhereSomethingIsStoredBesideItOrFollowsIt)
{
    auto again = service_world::program();
    again.retry.faults = {attempt_fault::program};
    auto codes = service_world::program();
    codes.retry.exit_codes = {3};
    auto saved = service_world::program();
    saved.checkpoint.emplace();
    for (const auto& spec : {again, codes, saved}) {
        service_world other({.pool = pool_bounds{.idle = 2, .most = 8, .most_bytes = 64 << 20}});
        other.service().keep_ready(shape());
        EXPECT_TRUE(other.advance_until([&] { return other.service().ready_sandboxes("fake") == 2; }));
        const auto answer = other.begin(other.service().submit_awaited(other.tenant, spec));
        other.turn();
        ASSERT_TRUE(answer->value && answer->value->has_value()) << "no time has passed";
        EXPECT_EQ(other.executions.size(), 1u);
        EXPECT_TRUE(other.box(0).agent->is_running());
    }
}

TEST_F(UnrecordedEnd, ThatCannotBeRecordedIsRefusedAndNothingOfItStays)
{
    const auto answer = begin();
    w.executions.fail_next({errc::internal, "disk is broken"});
    agent().exit(0);
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_error());
    EXPECT_EQ(answer->value->error().detail, "disk is broken");
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed && w.running() == 0; }));
    EXPECT_EQ(w.executions.size(), 0u);
    EXPECT_EQ(w.sandboxes.size(), 0u);
    EXPECT_EQ(w.events.appends(), 0u);
    EXPECT_TRUE(w.log.errors.empty()) << w.log.errors.front();
}

TEST_F(UnrecordedEnd, AStoreThatThrowsIsToldAsSuch)
{
    const auto answer = begin();
    w.executions.throw_next("the disk is full");
    agent().exit(0);
    w.turn();
    ASSERT_TRUE(answer->failure);
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed && w.running() == 0; }));
    EXPECT_EQ(w.executions.size(), 0u);
}

TEST_F(UnrecordedEnd, AFailureOfTheServerRefusesIt)
{
    const auto answer = begin();
    w.box(0).usage_throws = 1;
    agent().exit(0);
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_error());
    EXPECT_EQ(answer->value->error().code, errc::internal);
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed && w.running() == 0; }));
    EXPECT_EQ(w.executions.size(), 0u);
}

TEST_F(UnrecordedEnd, OfAServerThatDiesBeforeLeavesASandboxThatTheNextOneSweeps)
{
    static_cast<void>(begin());
    agent().print("unheard");
    w.kill_server();
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_TRUE(w.advance_until([&] { return w.box(0).destroyed; }));
    EXPECT_EQ(w.executions.size(), 0u);
    EXPECT_EQ(agent().spawns, 1u) << "it is not begun anew";
}

TEST_F(UnrecordedEnd, AServerThatStopsWaitsForTheRecord)
{
    const auto answer = begin();
    const auto stop = w.begin(w.service().hand_over(w.time().steady_now() + 10s));
    w.advance(4ms, 1ms);
    EXPECT_FALSE(stop->done());
    EXPECT_EQ(w.executions.size(), 0u);
    EXPECT_TRUE(w.advance_until([&] { return stop->done(); }));
    expect_recorded_first(answer);
    EXPECT_FALSE(w.box(0).destroyed) << "it goes on, for the next server";
}

TEST_F(UnrecordedEnd, AServerThatEndsAllCancelsWhatIsNotRecordedYet)
{
    const auto answer = begin();
    const auto stop = w.begin(w.service().end_all());
    EXPECT_TRUE(w.advance_until([&] { return stop->done(); }));
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_EQ(to_string(w.row((*answer->value)->row.id).status), "cancelled");
}

TEST_F(UnrecordedEnd, TellsOfAWebhookThatIsDue)
{
    auto spec = service_world::program();
    spec.webhook.emplace("https://example.org/hook", "secret");
    const auto answer = begin(spec);
    agent().exit(0);
    w.turn();
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_EQ(w.webhooks_due, 1);
}

TEST(UnrecordedEndOnAFastDisk, IsNotWaitedFor)
{
    service_world w({.pool = pool_bounds{.idle = 2, .most = 8, .most_bytes = 64 << 20}, .slow_record = 1ms});
    w.runtime.soon = true;
    const auto begin = [&w] { return w.begin(w.service().submit_awaited(w.tenant, service_world::program())); };
    EXPECT_TRUE(begin()->done()) << "no time has passed";
    w.executions.cork();
    const auto slow = begin();
    w.advance(1ms, 1ms);
    w.executions.uncork();
    w.turn();
    EXPECT_TRUE(slow->done());
    const auto after = begin();
    w.turn();
    EXPECT_FALSE(after->done()) << "the last one took a millisecond";
    w.advance(5ms, 1ms);
    EXPECT_TRUE(after->done());
    EXPECT_TRUE(begin()->done()) << "and that one none";
}

TEST(UnrecordedEndOnAFastDisk, IsWaitedForWhileTheDiskIsAwake)
{
    service_world w({.pool = pool_bounds{.idle = 2, .most = 8, .most_bytes = 64 << 20}, .slow_record = 1ms, .disk_rests_after = 250ms});
    w.runtime.soon = true;
    const auto begin = [&w] { return w.begin(w.service().submit_awaited(w.tenant, service_world::program())); };
    EXPECT_TRUE(begin()->done()) << "nothing was stored yet: no time has passed";
    const auto after = begin();
    w.turn();
    EXPECT_FALSE(after->done());
    w.advance(5ms, 1ms);
    EXPECT_TRUE(after->done());
    w.advance(250ms);
    EXPECT_TRUE(begin()->done()) << "it rests";
}

TEST(UnrecordedEndOfAMadeSandbox, IsTheFirstThatIsRecordedToo)
{
    service_world w;
    w.runtime.soon = true;
    const auto answer = w.begin(w.service().submit_awaited(w.tenant, service_world::program()));
    EXPECT_TRUE(w.advance_until([&] { return w.runtime.created() == 1 && w.box().agent && w.agent().is_running(); }));
    w.agent().exit(0);
    EXPECT_TRUE(w.advance_until([&] { return answer->done(); }));
    ASSERT_TRUE(answer->value && answer->value->has_value());
    EXPECT_EQ(to_string((*answer->value)->row.status), "success");
    EXPECT_NE((*answer->value)->log, nullptr);
    EXPECT_EQ(w.sandboxes.size(), 0u);
}

}    // namespace
}    // namespace caisson
