#include "tests/core/exec/retry_world.hpp"

namespace caisson {
namespace {

using namespace std::chrono_literals;
using namespace retrying;
using call = testing::fake_runtime::call;

TEST(RetryWait, WhileItWaitsItHoldsNoPlaceAndNoSandbox)
{
    service_world w({.max_running = 1});
    w.runtime.fail_next(call::connect, broken);
    const auto id = w.submit();
    EXPECT_EQ(w.find(id)->status, execution_status::queued);
    EXPECT_TRUE(w.find(id)->next_attempt_at_ms);
    EXPECT_EQ(w.row(id).sandbox, std::nullopt);
    EXPECT_EQ(w.running(), 0u);
    EXPECT_EQ(w.runtime.live(), 0u);
    const auto other = w.run();
    w.advance(2s);
    EXPECT_EQ(w.waiting(), 1u) << "it takes its turn again";
    w.agent(1).exit(0);
    w.ended(other);
    ASSERT_TRUE(w.advance_until([&] { return w.find(id)->status == execution_status::running; }));
}

TEST(RetryWait, ItComesBeforeWhatItsTenantSentLater)
{
    service_world w({.max_running = 1});
    w.runtime.fail_next(call::create, broken);
    const auto id = w.submit();
    std::vector<execution_id> flood;
    for (int i = 0; i < 5; ++i)
        flood.push_back(w.submit());
    w.advance(1s);
    EXPECT_EQ(w.find(id)->queue_position, 1u);
    w.agent(0).exit(0);
    w.ended(flood[0]);
    EXPECT_EQ(w.find(id)->status, execution_status::running);
}

TEST(RetryWait, ThoseThatWaitCountAsWaiting)
{
    service_world w({.max_running = 1, .max_queued = 2});
    for (int i = 0; i < 3; ++i)
        w.runtime.fail_next(call::create, broken);
    auto spec = tried(5);
    spec.retry.first_delay_ms = 20'000;
    for (int i = 0; i < 3; ++i)
        w.submit(spec);
    EXPECT_EQ(w.running() + w.waiting(), 0u);
    EXPECT_EQ(w.try_submit(spec).error().code, errc::queue_full);
}

TEST(RetryWait, ACancelEndsTheDelay)
{
    service_world w;
    w.runtime.fail_next(call::create, broken);
    const auto id = w.submit();
    w.advance(100ms);
    ASSERT_TRUE(w.cancel(id).has_value());
    EXPECT_EQ(w.row(id).status, execution_status::cancelled);
    EXPECT_EQ(w.row(id).verdict, verdict::cancelled);
    EXPECT_EQ(w.row(id).error, "the execution was cancelled");
    EXPECT_EQ(faults_of(w.row(id)), "1:runtime_unavailable");
    EXPECT_EQ(w.runtime.created(), 0u);
    w.advance(5s);
    EXPECT_EQ(w.running() + w.waiting(), 0u);
}

TEST(RetryWait, AViewerFollowsAllAttemptsWithOneCursor)
{
    service_world w;
    const auto id = w.run(tried(2, {75}));
    w.begin_log();
    auto reader = w.view(id);
    w.agent().print("one ");
    w.turn();
    EXPECT_EQ(w.read_now(*reader), "[queued][running]1:one ");
    w.agent().exit(75);
    w.turn();
    EXPECT_EQ(w.read_now(*reader), "[queued]");
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.agent(1).print("two");
    w.agent(1).exit(0);
    w.ended(id);
    EXPECT_EQ(w.read_now(*reader), "[running]1:two[usage][exit]");
    auto later = w.view(id, {3, 4, 0});
    EXPECT_EQ(w.read_now(*later), "[running]1:two[usage][exit]");
}

TEST(RetryWait, OutputThatIsCutGoesOnInTheNextAttempt)
{
    service_world w({.logs = {.tail_bytes = 8}});
    auto spec = tried(2, {75});
    spec.limits.max_output_bytes = 4;
    const auto id = w.run(spec);
    auto reader = w.view(id);
    w.agent().print("abcdefghijklmn");
    w.agent().exit(75);
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    EXPECT_EQ(w.stored(id), "[queued][running]1:abcd<1:2 missing>1:ghijklmn[queued][running]") << "all of it before the next attempt";
    EXPECT_EQ(w.find(id)->attempts[1].stdout_base, 14u);
    w.agent(1).print("0123456789");
    w.agent(1).exit(0);
    const auto& row = w.ended(id);
    EXPECT_EQ(row.status, execution_status::success);
    EXPECT_EQ(row.usage.output_bytes, 24);
    EXPECT_TRUE(row.stdout_truncated);
    EXPECT_EQ(w.stored(id), "[queued][running]1:abcd<1:2 missing>1:ghijklmn[queued][running]<1:2 missing>1:23456789[usage][exit]");
    EXPECT_EQ(w.read_now(*reader), "[queued][running]1:abcdefghijklmn<1:2 missing>[queued][running]1:0123456789<1:2 missing>[usage][exit]")
        << "whoever was there saw it all";
}

TEST(RetryWait, NothingIsLeftWhenTheSandboxBetweenCannotBeRemovedAtOnce)
{
    service_world w;
    w.runtime.fail_next(call::connect, broken);
    w.runtime.fail_next(call::destroy, broken);
    const auto id = w.submit();
    ASSERT_TRUE(w.advance_until([&] { return w.runtime.created() == 2; }));
    w.agent(1).exit(0);
    EXPECT_EQ(w.ended(id).status, execution_status::success);
    w.restart();
    EXPECT_EQ(w.runtime.live(), 0u) << "the sweep has it";
}

}    // namespace
}    // namespace caisson
