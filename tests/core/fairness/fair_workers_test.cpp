#include "core/fairness/fair_workers.hpp"

#include "core/async/task_group.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

#include <boost/asio/cancellation_signal.hpp>

#include <cctype>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace caisson {
namespace {

using ::testing::ElementsAre;

tenant_id tenant(char name) { return tenant_id::from_trusted(std::string("ten_") + name); }

/// Notes the order in which work is done; "a1" waits until it is let go.
struct noted_work {
    std::mutex guard;
    std::vector<std::string> done;
    std::promise<void> gate;
    std::shared_future<void> open = gate.get_future().share();

    std::function<int()> named(std::string name)
    {
        return [this, name] {
            if (name == "a1")
                open.wait();
            const std::lock_guard lock(guard);
            done.push_back(name);
            return static_cast<int>(done.size());
        };
    }
};

struct FairWorkers : ::testing::Test {
    task<> run(fair_workers* on, std::string name)
    {
        auto working = on->run(tenant(name.front()), noted.named(std::move(name)));
        static_cast<void>(co_await std::move(working));
        ++ended;
    }
    void begin(std::string name) { group.spawn("work", run(&workers, std::move(name))); }
    void end_all(std::size_t wanted)
    {
        while (ended < wanted && context.run_one() > 0) { }
    }

    asio::io_context context;
    std::size_t threads = 1;
    worker_pool pool{"texts", 2};
    fair_workers workers{context.get_executor(), pool, threads};
    noted_work noted;
    std::size_t ended = 0;
    null_logger log;
    task_group group{context.get_executor(), log};
};

TEST_F(FairWorkers, TenantsTakeTurns)
{
    for (const char* name : {"a1", "a2", "a3", "b1", "c1"})
        begin(name);
    context.poll();
    EXPECT_EQ(workers.waiting(), 4u);
    noted.gate.set_value();
    end_all(5);
    EXPECT_THAT(noted.done, ElementsAre("a1", "b1", "c1", "a2", "a3"));
    EXPECT_EQ(workers.waiting(), 0u);
}

struct TwoFairWorkers : FairWorkers {
    fair_workers two{context.get_executor(), pool, 2};
};

TEST_F(TwoFairWorkers, OneTenantHasOneThreadAtMost)
{
    for (const char* name : {"a1", "a2", "b1"})
        group.spawn("work", run(&two, name));
    end_all(1);    // a1 does not end before the gate is open, and a2 not before a1
    EXPECT_THAT(noted.done, ElementsAre("b1"));
    noted.gate.set_value();
    end_all(3);
    EXPECT_THAT(noted.done, ElementsAre("b1", "a1", "a2"));
}

TEST_F(FairWorkers, OneThatIsCancelledWhileItWaitsLeavesItsPlace)
{
    asio::cancellation_signal cancel;
    begin("a1");
    asio::co_spawn(context.get_executor(), run(&workers, "b1"),
        asio::bind_cancellation_slot(cancel.slot(), [this](std::exception_ptr failure) { ended += failure ? 1 : 0; }));
    begin("c1");
    context.poll();
    cancel.emit(asio::cancellation_type::terminal);
    end_all(1);
    EXPECT_EQ(workers.waiting(), 1u);
    noted.gate.set_value();
    end_all(3);
    EXPECT_THAT(noted.done, ElementsAre("a1", "c1"));
}

TEST_F(FairWorkers, WhatFailsGivesItsThreadBack)
{
    auto fail = []() -> int { throw std::runtime_error("it failed"); };
    EXPECT_THROW(testing::run_task(context, workers.run(tenant('a'), fail)), std::runtime_error);
    EXPECT_EQ(testing::run_task(context, workers.run(tenant('a'), [] { return 7; })), 7);
}

TEST_F(FairWorkers, LittleIsDoneAtOnce)
{
    const auto where = [] { return std::this_thread::get_id(); };
    const auto thread_for = [&](fair_workers* on, std::size_t bytes) {
        return testing::run_task(context, by_size(on, tenant('a'), bytes, where));
    };
    const auto own = std::this_thread::get_id();
    EXPECT_EQ(thread_for(&workers, fair_workers::most_at_once_bytes), own);
    EXPECT_NE(thread_for(&workers, fair_workers::most_at_once_bytes + 1), own);
    EXPECT_EQ(thread_for(nullptr, SIZE_MAX), own);
}

struct SharedIoThread : FairWorkers {
    static constexpr auto request = io_turns::kind::request;

    task<> work_here(char who)
    {
        const auto note = [this, who] { done.push_back(who); };
        auto noting = by_size(&shared, tenant(who), 1, note);
        co_await std::move(noting);
    }
    task<> wait_here(char who)
    {
        auto turn = wait_for_turn(&shared, tenant(who), request, 1);
        co_await std::move(turn);
        done.push_back(static_cast<char>(std::toupper(who)));
    }

    io_turns turns{context.get_executor()};
    fair_workers shared{context.get_executor(), pool, 1, &turns};
    std::string done;
};

TEST_F(SharedIoThread, LittleWaitsForItsTurn)
{
    ASSERT_TRUE(turns.try_begin(tenant('a'), request, 10 * io_turns::most_bytes));
    group.spawn("work", work_here('a'));
    group.spawn("turn", wait_here('a'));
    group.spawn("work", work_here('b'));
    group.spawn("turn", wait_here('b'));
    context.poll();
    EXPECT_EQ(done, "bBaA");
}

}    // namespace
}    // namespace caisson
