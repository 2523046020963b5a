#include "core/pool/stocker.hpp"

#include "tests/core/exec/warm_pool_fixture.hpp"

namespace caisson {
namespace {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;

/// A server that keeps none ready, on a runtime that may prepare up to 32.
class Stocker : public ::testing::Test {
protected:
    explicit Stocker(service_world::options chosen = {.max_running = 100}) : w(std::move(chosen)) { w.runtime.may_be_prepared = 32; }

    void begin() { w.service().prepare_ahead(limits); }
    /// Once it has done what it is about to do.
    std::size_t at_rest()
    {
        w.advance(2s);
        return w.runtime.prepared();
    }
    /// To their ends, all at the same time.
    void run(int count)
    {
        std::vector<execution_id> all;
        for (int i = 0; i < count; ++i)
            all.push_back(w.run());
        for (std::size_t i = 0; i < w.runtime.created(); ++i)
            if (w.agent(i).is_running())
                w.agent(i).exit(0);
        for (const auto& id : all)
            EXPECT_EQ(w.ended(id).status, execution_status::success);
    }

    const sandbox_limits limits{.memory_bytes = 1 << 26, .cpu_milli = 500, .pids = 16, .disk_bytes = 1 << 20, .inodes = 64};
    service_world w;
};

class StockerAndPool : public Stocker {
protected:
    StockerAndPool() : Stocker({.max_running = 100, .pool = pool_bounds{.idle = 2, .most = 8, .most_bytes = 64 << 20}}) { }
};

TEST_F(Stocker, NothingIsPreparedBeforeItBegins)
{
    EXPECT_EQ(at_rest(), 0u);
    begin();
    EXPECT_EQ(at_rest(), 4u) << "for whoever comes first";
    EXPECT_EQ(w.runtime.prepared_with, limits);
    begin();
    EXPECT_EQ(at_rest(), 4u);
    EXPECT_EQ(w.runtime.tries_at_preparing, 4u);
}

TEST_F(Stocker, WhatIsTakenIsPreparedAgain)
{
    begin();
    ASSERT_EQ(at_rest(), 4u);
    run(1);
    EXPECT_TRUE(w.box().spec.is_awaited);
    EXPECT_EQ(at_rest(), 4u);
    EXPECT_EQ(w.runtime.tries_at_preparing, 5u);
}

TEST_F(Stocker, AsManyArePreparedAsWereAskedForInASecondLately)
{
    begin();
    run(10);
    EXPECT_EQ(at_rest(), 10u);
    run(50);
    EXPECT_EQ(at_rest(), 32u) << "never more than may be";
    w.advance(61s, 100ms);
    EXPECT_EQ(at_rest(), 4u) << "the demand is over";
}

TEST_F(Stocker, NeverMoreThanMayBe)
{
    w.runtime.may_be_prepared = 2;
    begin();
    EXPECT_EQ(at_rest(), 2u);
    EXPECT_EQ(w.spare.prepared(), 0u) << "a runtime that has no use for it";
}

TEST_F(Stocker, RequestsComeFirst)
{
    begin();
    ASSERT_EQ(at_rest(), 4u);
    for (int i = 0; i < 10; ++i) {
        w.run();
        w.advance(2ms, 1ms);
    }
    EXPECT_EQ(w.runtime.prepared(), 0u) << "within 20 ms, in which requests came again and again";
    EXPECT_EQ(at_rest(), 10u);
}

TEST_F(Stocker, WhatDoesNotWorkIsTriedAgainAndNotAllTheTime)
{
    for (int i = 0; i < 3; ++i)
        w.runtime.fail_next(call::prepare, {errc::runtime_unavailable, "the disk is full"});
    begin();
    w.advance(100ms);
    EXPECT_EQ(w.runtime.tries_at_preparing, 1u);
    w.advance(600ms);
    EXPECT_EQ(w.runtime.tries_at_preparing, 2u);
    w.advance(500ms);
    EXPECT_EQ(w.runtime.tries_at_preparing, 2u) << "later each time";
    w.advance(5s);
    EXPECT_EQ(w.runtime.prepared(), 4u);
    run(1);
}

TEST_F(Stocker, HalfIsGivenBackWhereSomethingIsScarce)
{
    begin();
    run(10);
    ASSERT_EQ(at_rest(), 10u);
    w.runtime.fail_next(call::prepare, {errc::runtime_unavailable, "no descriptor is left"});
    run(2);
    w.advance(400ms);
    EXPECT_EQ(w.runtime.prepared(), 4u) << "of the 8 that were left";
    EXPECT_EQ(at_rest(), 10u);
}

TEST_F(Stocker, WhatStaysScarceIsAskedForLessAndLessOften)
{
    w.runtime.room_for_prepared = 3;    // one less than is kept whatever the demand
    begin();
    w.advance(600s, 100ms);
    EXPECT_LT(w.runtime.tries_at_preparing, 100u) << "in ten minutes, each time up to three";
    EXPECT_GT(w.runtime.prepared(), 0u);
    w.runtime.room_for_prepared = 1'000;
    w.advance(61s, 100ms);
    EXPECT_EQ(w.runtime.prepared(), 4u);
}

TEST_F(Stocker, WhatIsTooMuchGoesBeforeTheNextTry)
{
    w.runtime.room_for_prepared = 12;
    begin();
    run(20);
    w.advance(55s, 100ms);
    EXPECT_EQ(w.runtime.prepared(), 6u) << "half of what there is room for, until the next try";
    const auto tries = w.runtime.tries_at_preparing;
    w.advance(7s, 100ms);
    EXPECT_EQ(w.runtime.prepared(), 4u) << "the demand is over";
    EXPECT_EQ(w.runtime.tries_at_preparing, tries);
}

TEST_F(Stocker, AThrowIsAFailure)
{
    w.runtime.throw_next(call::prepare, "no memory");
    begin();
    w.advance(5s);
    EXPECT_EQ(w.runtime.prepared(), 4u);
}

TEST_F(Stocker, WhereSandboxesCannotBeMadeNoneArePrepared)
{
    w.runtime.host.available = false;
    begin();
    EXPECT_EQ(at_rest(), 0u);
    w.runtime.host.available = true;
    w.advance(10s);
    EXPECT_EQ(w.runtime.prepared(), 4u);
    w.runtime.host.available = false;
    w.advance(10s);
    EXPECT_EQ(w.runtime.prepared(), 0u);
}

TEST_F(Stocker, AServerThatStopsRemovesThem)
{
    begin();
    ASSERT_EQ(at_rest(), 4u);
    w.hand_over();
    EXPECT_EQ(w.runtime.prepared(), 0u);
}

TEST_F(Stocker, AServerStopsThoughOneIsBeingPrepared)
{
    w.runtime.gate_of(call::prepare).cork();
    begin();
    w.advance(100ms);
    ASSERT_EQ(w.runtime.tries_at_preparing, 1u);
    w.hand_over();
    EXPECT_EQ(w.runtime.gate_of(call::prepare).held(), 0u) << "it was cut off";
}

TEST_F(StockerAndPool, WhatThePoolNeedsAtOnceReleasesNothingElse)
{
    begin();
    ASSERT_EQ(at_rest(), 4u);
    for (int i = 0; i < 10; ++i) {
        w.run();    // each claim or lack of one hurries the pool
        w.advance(2ms, 1ms);
    }
    EXPECT_EQ(w.runtime.tries_at_preparing, 4u) << "within 20 ms, in which requests came again and again";
}

TEST_F(StockerAndPool, WhatIsKeptReadyIsMadeWithoutThem)
{
    begin();
    sandbox_spec spec;
    spec.limits = limits_of(service_world::program());
    w.service().keep_ready({"fake", spec, nullptr, ""});
    EXPECT_EQ(at_rest(), 4u);
    EXPECT_EQ(w.service().ready_sandboxes("fake"), 2u);
    EXPECT_EQ(w.runtime.tries_at_preparing, 4u) << "nobody waits for what is kept ready";
    run(1);
    EXPECT_EQ(at_rest(), 4u);
    EXPECT_EQ(w.runtime.tries_at_preparing, 4u) << "one was ready";
}

}    // namespace
}    // namespace caisson
