#include "tests/core/exec/service_world.hpp"

namespace caisson {
namespace {

using namespace std::chrono_literals;
using status = execution_status;

/// A world with one place and a second tenant.
struct shared_world : service_world {
    explicit shared_world(options chosen = {.max_running = 1}) : service_world(std::move(chosen)) { }

    result<execution_row> of_stranger(execution_spec spec = program()) { return get(service().submit(stranger, std::move(spec))); }
    /// Ends what runs until the queue is empty; the tenants in the order in which they ran: "m" is `tenant`, "s" the other.
    std::string order_of_starts()
    {
        std::string order;
        for (std::size_t i = runtime.created() - running();; ++i) {
            turn();
            if (i >= runtime.created())
                return order;
            order += owner_of(i);
            agent(i).exit(0);
            EXPECT_TRUE(advance_until([&] { return runtime.created() > i + 1 || (running() == 0 && waiting() == 0); }));
        }
    }
    char owner_of(std::size_t box_number) { return sandboxes.row(box(box_number).spec.id).tenant == tenant ? 'm' : 's'; }
};

TEST(ExecutionFairness, AFloodDoesNotHoldUpAnother)
{
    shared_world w;
    for (int i = 0; i < 20; ++i)
        w.submit();
    EXPECT_TRUE(w.of_stranger().has_value());
    EXPECT_EQ(w.order_of_starts().substr(0, 4), "msmm") << "the next after what runs";
}

TEST(ExecutionFairness, WeightsAreTurns)
{
    service_world::options heavy{.max_running = 1};
    shared_world w(heavy);
    w.service().set_tenants({{w.stranger, {3, 100, 100}}});
    for (int i = 0; i < 9; ++i) {
        w.submit();
        EXPECT_TRUE(w.of_stranger().has_value());
    }
    const auto order = w.order_of_starts().substr(1, 12);    // the first ran before the other came
    EXPECT_EQ(std::count(order.begin(), order.end(), 's'), 9) << order;
}

TEST(ExecutionFairness, ATenantsOwnMostHolds)
{
    shared_world w({.max_running = 4, .bounds = {.any_tenant = {1, 2, 100}}});
    for (int i = 0; i < 5; ++i)
        w.submit();
    EXPECT_EQ(w.running(), 2u);
    EXPECT_TRUE(w.of_stranger().has_value());
    EXPECT_EQ(w.running(), 3u);
    EXPECT_EQ(w.waiting(), 3u);
    w.agent(0).exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.waiting() == 2; }));
    EXPECT_EQ(w.running(), 3u);
}

TEST(ExecutionFairness, ATenantsMostMayChangeWhileItRuns)
{
    shared_world w({.max_running = 4});
    for (int i = 0; i < 7; ++i)
        w.submit();
    EXPECT_EQ(w.running(), 4u);
    w.service().set_tenant_most(3, UINT64_MAX);
    EXPECT_EQ(w.running(), 4u) << "nothing is stopped";
    w.agent(0).exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.running() == 3; }));
    EXPECT_EQ(w.waiting(), 3u);
    EXPECT_TRUE(w.of_stranger().has_value());
    EXPECT_EQ(w.running(), 4u) << "the place was left to others";
    w.service().set_tenant_most(4, UINT64_MAX);
    w.agent(1).exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.waiting() == 2; }));
    EXPECT_EQ(w.running(), 4u);
}

TEST(ExecutionFairness, APlaceThatATenantMayHaveNowIsTakenAtOnce)
{
    shared_world w({.max_running = 4, .bounds = {.tenant_max_running = 3}});
    for (int i = 0; i < 5; ++i)
        w.submit();
    EXPECT_EQ(w.running(), 3u);
    w.service().set_tenant_most(4, UINT64_MAX);
    EXPECT_EQ(w.running(), 4u);
    EXPECT_EQ(w.waiting(), 1u);
}

execution_spec program_with_memory(std::int64_t bytes)
{
    auto spec = service_world::program();
    spec.limits.memory_bytes = bytes / 2;    // its disk is memory too
    spec.limits.disk_bytes = bytes - bytes / 2;
    return spec;
}

TEST(ExecutionMemory, NoMoreIsPromisedThanThereIs)
{
    shared_world w({.max_running = 10, .bounds = {.max_memory_bytes = 100}});
    w.submit(program_with_memory(60));
    w.submit(program_with_memory(40));
    w.submit(program_with_memory(1));
    EXPECT_EQ(w.running(), 2u);
    EXPECT_EQ(w.waiting(), 1u);
    w.agent(1).exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.waiting() == 0; }));
    EXPECT_EQ(w.running(), 2u);
}

TEST(ExecutionMemory, OneThatHasToWaitForMuchHoldsUpItsTenantOnly)
{
    shared_world w({.max_running = 10, .bounds = {.max_memory_bytes = 100}});
    w.submit(program_with_memory(30));
    w.submit(program_with_memory(80));
    w.submit(program_with_memory(1));
    EXPECT_TRUE(w.of_stranger(program_with_memory(20)).has_value());
    EXPECT_TRUE(w.of_stranger(program_with_memory(20)).has_value());
    EXPECT_EQ(w.running(), 3u) << "30, and two of the stranger's";
    EXPECT_EQ(w.waiting(), 2u);
    w.agent(0).exit(0);
    w.agent(1).exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.running() == 2 && w.waiting() == 1; })) << "80 and 20";
    w.agent(2).exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.waiting() == 0; }));
    EXPECT_EQ(w.running(), 2u);
}

TEST(ExecutionMemory, OneOfAnySizeRunsWhereNothingElseDoes)
{
    shared_world w({.max_running = 10, .bounds = {.max_memory_bytes = 100}});
    w.submit(program_with_memory(200));
    EXPECT_EQ(w.running(), 1u);
    w.submit(program_with_memory(1));
    EXPECT_EQ(w.waiting(), 1u);
}

TEST(ExecutionMemory, ATenantHasItsShare)
{
    shared_world w({.max_running = 10, .bounds = {.max_memory_bytes = 100}});
    w.service().set_tenant_most(SIZE_MAX, 75);
    for (int i = 0; i < 3; ++i)
        w.submit(program_with_memory(30));
    EXPECT_EQ(w.running(), 2u);
    EXPECT_TRUE(w.of_stranger(program_with_memory(40)).has_value());
    EXPECT_EQ(w.running(), 3u);
    w.service().set_tenant_most(SIZE_MAX, UINT64_MAX);
    EXPECT_EQ(w.running(), 3u) << "60 and 40 are all";
    w.agent(0).exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.waiting() == 0; }));
}

TEST(ExecutionMemory, WhoHasToWaitForItIsToldItsPlaceAndTheCause)
{
    shared_world w({.max_running = 10, .bounds = {.max_memory_bytes = 100}});
    EXPECT_EQ(w.get(w.service().submit(w.tenant, program_with_memory(60)))->queue_position, std::nullopt);
    const auto second = w.get(w.service().submit(w.tenant, program_with_memory(70)));
    EXPECT_EQ(second->queue_position, 1u);
    EXPECT_EQ(w.find(second->id)->waits_for, "memory: it may use 70 bytes, more than is free of executions.max_memory_bytes");
    w.agent(0).exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.waiting() == 0; }));
    EXPECT_EQ(w.find(second->id)->waits_for, "");
}

TEST(ExecutionMemory, WhatComesLaterDoesNotPassByInItsOwnLine)
{
    shared_world w(
        {.max_running = 10, .bounds = {.max_memory_bytes = 100}, .pool = pool_bounds{.idle = 2, .most = 8, .most_bytes = 64 << 20}});
    sandbox_spec ready;
    const auto small = program_with_memory(20);
    ready.limits = {small.limits.memory_bytes, small.limits.cpu_milli, small.limits.pids, small.limits.disk_bytes, small.limits.inodes};
    w.service().keep_ready({"fake", ready, nullptr, ""});
    EXPECT_TRUE(w.advance_until([&] { return w.service().ready_sandboxes("fake") == 2; }));
    w.submit(program_with_memory(30));
    w.submit(program_with_memory(90));
    w.submit(small);    // a sandbox is ready for it, and there is memory
    EXPECT_EQ(w.running(), 1u);
    EXPECT_EQ(w.waiting(), 2u);
}

TEST(ExecutionMemory, WhoWaitsForItCountsAsWaiting)
{
    shared_world w({.max_running = 10, .max_queued = 0, .bounds = {.max_memory_bytes = 100}});
    w.submit(program_with_memory(100));
    const auto refused = w.try_submit(program_with_memory(1));
    ASSERT_TRUE(refused.has_error()) << "there are places, and no memory";
    EXPECT_EQ(refused.error().facts->limit, "executions.max_queued");
}

TEST(ExecutionFairness, AFullQueueOfATenantIsItsOwn)
{
    shared_world w({.max_running = 1, .bounds = {.any_tenant = {1, 100, 2}}});
    for (int i = 0; i < 3; ++i)
        w.submit();
    const auto refused = w.try_submit();
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::queue_full);
    const auto facts = refused.error().facts.value();
    EXPECT_EQ(facts.limit, "executions.tenant_max_queued");
    EXPECT_EQ(facts.scope, "tenant");
    EXPECT_EQ(facts.value, 2);
    EXPECT_EQ(facts.running, 1);
    EXPECT_EQ(facts.waiting, 2);
    EXPECT_EQ(facts.retry_after_s, 1) << "nothing has been measured";
    EXPECT_TRUE(w.of_stranger().has_value()) << "another tenant is not refused";
}

TEST(ExecutionFairness, TheServersQueueIsFullForAll)
{
    shared_world w({.max_running = 1, .max_queued = 2, .bounds = {.any_tenant = {1, 100, 2}}});
    w.submit();
    EXPECT_TRUE(w.of_stranger().has_value());
    w.submit();
    const auto refused = w.of_stranger();
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().facts->limit, "executions.max_queued");
    EXPECT_EQ(refused.error().facts->scope, "server");
    EXPECT_EQ(refused.error().facts->waiting, 2);
}

TEST(ExecutionFairness, TheRetryIsWhatWasMeasured)
{
    shared_world w({.max_running = 1, .max_queued = 1});
    for (int i = 0; i < 6; ++i) {    // one in 10 s
        const auto id = w.run();
        w.advance(10s, 100ms);
        w.agent(static_cast<std::size_t>(i)).exit(0);
        w.ended(id);
    }
    w.submit();
    w.submit();
    const auto refused = w.try_submit();
    ASSERT_TRUE(refused.has_error());
    EXPECT_GE(refused.error().facts->retry_after_s, 7);
    EXPECT_LE(refused.error().facts->retry_after_s, 14);
}

TEST(ExecutionFairness, NobodyWaitsWhereNobodyMay)
{
    shared_world w({.max_running = 2, .max_queued = 0});
    EXPECT_TRUE(w.try_submit().has_value()) << "it does not wait";
    EXPECT_TRUE(w.try_submit().has_value());
    EXPECT_EQ(w.try_submit().error().code, errc::queue_full);
}

/// Places are counted before the record is made, not after.
TEST(ExecutionFairness, RequestsAtOnceDoNotPassTheBound)
{
    shared_world w({.max_running = 1, .max_queued = 3});
    w.run();
    w.executions.cork();
    std::vector<std::shared_ptr<pending<result<execution_row>>>> asked;
    for (int i = 0; i < 10; ++i)
        asked.push_back(w.begin(w.service().submit(w.tenant, service_world::program())));
    EXPECT_EQ(w.executions.held(), 3u);
    w.executions.uncork();
    w.turn();
    const auto taken = std::count_if(asked.begin(), asked.end(), [](const auto& one) { return one->value && one->value->has_value(); });
    EXPECT_EQ(taken, 3);
    EXPECT_EQ(w.waiting(), 3u);
}

TEST(ExecutionFairness, ARecordThatFailsGivesItsPlaceBack)
{
    shared_world w({.max_running = 1, .max_queued = 1});
    w.run();
    for (int i = 0; i < 3; ++i) {
        w.executions.fail_next({errc::internal, "disk is broken"});
        EXPECT_EQ(w.try_submit().error().detail, "disk is broken");
    }
    EXPECT_TRUE(w.try_submit().has_value());
}

TEST(ExecutionFairness, WhatATenantHoldsWhileItWaitsIsBounded)
{
    shared_world w({.max_running = 1, .bounds = {.tenant_max_waiting_bytes = 1'000}});
    auto heavy = service_world::program();
    heavy.stdin_data = shared_bytes(std::string(600, 'i'));
    w.run();
    const auto first = w.submit(heavy);
    const auto refused = w.try_submit(heavy);
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().facts->limit, "executions.tenant_max_waiting_bytes");
    EXPECT_TRUE(w.of_stranger(heavy).has_value());
    EXPECT_TRUE(w.cancel(first).has_value());
    EXPECT_TRUE(w.try_submit(heavy).has_value()) << "what was cancelled holds nothing";
}

TEST(ExecutionFairness, OneAloneMayBeLargerThanTheBound)
{
    shared_world w({.max_running = 1, .bounds = {.tenant_max_waiting_bytes = 100}});
    auto heavy = service_world::program();
    heavy.stdin_data = shared_bytes(std::string(600, 'i'));
    w.run();
    EXPECT_TRUE(w.try_submit(heavy).has_value());
    EXPECT_TRUE(w.try_submit(heavy).has_error());
}

TEST(ExecutionFairness, StdinGivenWhileWaitingCounts)
{
    shared_world w({.max_running = 1, .bounds = {.tenant_max_waiting_bytes = 1'000}});
    w.run();
    auto open = service_world::program();
    open.stdin_open = true;
    const auto id = w.submit(open);
    const auto give = [&](std::size_t bytes) {
        return w.begin(w.service().write_stdin(w.tenant, id, {std::string(bytes, 'i'), {}, false}, w.time().steady_now() + 10ms));
    };
    const auto some = give(900);
    const auto more = give(900);
    ASSERT_TRUE(more->done());
    EXPECT_EQ(more->value->error().code, errc::queue_full);
    w.advance(20ms);
    EXPECT_TRUE(some->done());
}

TEST(ExecutionFairness, ThePlaceInTheQueueIsShownAndFalls)
{
    shared_world w;
    const auto running = w.submit();
    const auto second = w.try_submit();
    const auto third = w.try_submit();
    ASSERT_TRUE(third.has_value());
    EXPECT_EQ(second->queue_position, 1u);
    EXPECT_EQ(third->queue_position, 2u);
    EXPECT_EQ(w.of_stranger()->queue_position, 1u) << "the other tenant has had a turn";
    EXPECT_EQ(w.find(third->id)->queue_position, 3u);
    EXPECT_FALSE(w.find(running)->queue_position.has_value());
    const auto listed = w.get(w.service().list(w.tenant, {}));
    EXPECT_EQ(listed->at(0).queue_position, 3u);
    EXPECT_EQ(listed->at(1).queue_position, 2u);
    w.begin_log();
    w.agent(0).exit(0);
    w.ended(running);
    EXPECT_EQ(w.find(second->id)->queue_position, 1u);
    EXPECT_EQ(w.find(third->id)->queue_position, 2u);
    w.agent(1).exit(0);
    EXPECT_TRUE(w.advance_until([&] { return w.find(second->id)->status == status::running; }));
    EXPECT_FALSE(w.find(second->id)->queue_position.has_value());
    EXPECT_EQ(w.find(third->id)->queue_position, 1u);
    EXPECT_NE(w.events.events(third->id).front()->body.find("\"queue_position\":2"), std::string::npos);
    EXPECT_EQ(w.events.events(running).front()->body.find("queue_position"), std::string::npos);
}

TEST(ExecutionFairness, ACancelledOneCostsNoTurn)
{
    shared_world w;
    w.submit();
    const auto cancelled = w.submit();
    const auto next = w.submit();
    w.events.cork();    // its end is slow to be stored
    EXPECT_TRUE(w.cancel(cancelled).has_value());
    EXPECT_EQ(w.waiting(), 1u);
    EXPECT_EQ(w.find(next)->queue_position, 1u);
    w.events.uncork();
    EXPECT_EQ(w.ended(cancelled).status, status::cancelled);
    EXPECT_EQ(w.order_of_starts(), "mm");
}

TEST(ExecutionFairness, ARestartKeepsAllThatWaitsAndIsFair)
{
    shared_world w({.max_running = 1, .max_queued = 30});
    w.run();
    for (int i = 0; i < 20; ++i)
        w.submit();
    EXPECT_TRUE(w.of_stranger().has_value());
    EXPECT_TRUE(w.of_stranger().has_value());
    w.hand_over();
    w.lower_queue(5);
    EXPECT_TRUE(w.start_server().has_value());
    EXPECT_EQ(w.waiting(), 22u) << "more than the bound that it has now";
    EXPECT_EQ(w.try_submit().error().code, errc::queue_full);
    EXPECT_EQ(w.order_of_starts().substr(0, 5), "mmsms");
}

}    // namespace
}    // namespace caisson
