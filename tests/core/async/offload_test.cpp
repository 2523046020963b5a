#include "core/async/offload.hpp"

#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <pthread.h>

#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace caisson {
namespace {

using testing::run_task;

std::string thread_name()
{
    char name[16] = {};
    ::pthread_getname_np(::pthread_self(), name, sizeof name);
    return name;
}

TEST(Offload, GivesTheValueAndResumesOnTheIoThread)
{
    asio::io_context context;
    worker_pool pool("work", 2);
    auto body = [](worker_pool* workers) -> task<std::pair<std::thread::id, std::thread::id>> {
        auto ask = [] { return std::this_thread::get_id(); };
        const auto worker = co_await offload(*workers, ask);
        co_return std::pair(worker, std::this_thread::get_id());
    };
    const auto [worker, resumed] = run_task(context, body(&pool));
    EXPECT_NE(worker, std::this_thread::get_id());
    EXPECT_EQ(resumed, std::this_thread::get_id());
}

TEST(Offload, LetsGoOfWhatTheWorkHoldsBeforeItsCallerGoesOn)
{
    asio::io_context context;
    worker_pool pool("work", 1);
    std::thread::id let_go;
    auto held = std::shared_ptr<int>(new int(1), [&let_go](int* value) {
        let_go = std::this_thread::get_id();
        delete value;
    });
    std::weak_ptr<int> left = held;
    auto body = [](worker_pool* workers, std::shared_ptr<int> given, std::weak_ptr<int> seen) -> task<bool> {
        auto work = [given = std::move(given)] { return *given; };
        auto going = offload(*workers, std::move(work));
        co_await std::move(going);
        co_return seen.expired();
    };
    EXPECT_TRUE(run_task(context, body(&pool, std::move(held), left)));
    EXPECT_NE(let_go, std::this_thread::get_id());
}

TEST(Offload, TakesMoveOnlyWorkAndGivesMoveOnlyValues)
{
    asio::io_context context;
    worker_pool pool("work", 1);
    auto work = [box = std::make_unique<int>(7)]() mutable { return std::move(box); };
    EXPECT_EQ(*run_task(context, offload(pool, std::move(work))), 7);
}

TEST(Offload, WorksForVoid)
{
    asio::io_context context;
    worker_pool pool("work", 1);
    bool ran = false;
    run_task(context, offload(pool, [&ran] { ran = true; }));
    EXPECT_TRUE(ran);
}

TEST(Offload, ThrowsWhatTheWorkThrew)
{
    asio::io_context context;
    worker_pool pool("work", 1);
    EXPECT_THROW(run_task(context, offload(pool, []() -> int { throw std::out_of_range("far"); })), std::out_of_range);
    EXPECT_THROW(run_task(context, offload(pool, [] { throw std::runtime_error("void too"); })), std::runtime_error);
}

TEST(Offload, KeepsTheContextRunningWhileItWorks)
{
    asio::io_context context;
    worker_pool pool("work", 1);
    std::promise<void> go;
    bool done = false;
    asio::co_spawn(
        context, offload(pool, [wait = go.get_future()]() mutable { wait.get(); }), [&done](const std::exception_ptr&) { done = true; });
    context.poll();
    EXPECT_FALSE(context.stopped());
    go.set_value();
    context.run();
    EXPECT_TRUE(done);
}

TEST(Offload, CancellationLetsTheWorkEndFirst)
{
    asio::io_context context;
    worker_pool pool("work", 1);
    std::promise<void> go;
    std::atomic<bool> worked = false;
    auto body = [](worker_pool* workers, std::promise<void>* start, std::atomic<bool>* flag) -> task<> {
        auto work = [wait = start->get_future(), flag]() mutable {
            wait.get();
            *flag = true;
        };
        co_await offload(*workers, std::move(work));
    };
    asio::cancellation_signal cancel;
    bool ended = false;
    auto done = [&ended](const std::exception_ptr&) { ended = true; };
    asio::co_spawn(context, body(&pool, &go, &worked), asio::bind_cancellation_slot(cancel.slot(), done));
    context.poll();
    cancel.emit(asio::cancellation_type::terminal);
    context.poll();
    EXPECT_FALSE(ended);
    go.set_value();
    context.run();
    EXPECT_TRUE(ended);
    EXPECT_TRUE(worked);
}

TEST(Offload, AFrameWhoseWorkIsDoneMayDieWithTheContext)
{
    const auto held = std::make_shared<int>(0);
    {
        asio::io_context context;
        worker_pool pool("work", 1);
        auto body = [](worker_pool* workers, std::shared_ptr<int> kept) -> task<> {
            auto nothing = [] { };
            co_await offload(*workers, nothing);
            ++*kept;
        };
        asio::co_spawn(context, body(&pool, held), [](const std::exception_ptr&) { });
        context.poll_one();
        pool.join();    // its completion is posted and never run
    }
    EXPECT_EQ(*held, 0);
    EXPECT_EQ(held.use_count(), 1);
}

TEST(WorkerPool, NamesEveryThreadAndCutsLongNames)
{
    constexpr std::size_t threads = 3;
    worker_pool pool("a-very-long-pool-name", threads);
    std::latch all(threads);
    std::mutex guard;
    std::set<std::thread::id> ids;
    std::set<std::string> names;
    for (std::size_t i = 0; i < threads; ++i) {
        asio::post(pool.pool(), [&] {
            {
                const std::lock_guard lock(guard);
                ids.insert(std::this_thread::get_id());
                names.insert(thread_name());
            }
            all.arrive_and_wait();
        });
    }
    pool.join();
    EXPECT_EQ(ids.size(), threads);
    EXPECT_EQ(names, std::set<std::string>{"a-very-long-poo"});
}

TEST(WorkerPool, JoinFinishesWhatWasPostedAndMayBeRepeated)
{
    worker_pool pool("work", 2);
    std::atomic<int> done = 0;
    for (int i = 0; i < 100; ++i)
        asio::post(pool.pool(), [&done] { ++done; });
    pool.join();
    EXPECT_EQ(done, 100);
    pool.join();
}

TEST(SuspendUntilComplete, MayCompleteBeforeItReturns)
{
    asio::io_context context;
    auto start = [](completion<int> done) { done(nullptr, 5); };
    EXPECT_EQ(run_task(context, suspend_until_complete<int>(start)), 5);
}

TEST(SuspendUntilComplete, MayCompleteFromAnyThread)
{
    asio::io_context context;
    std::thread other;
    auto start = [&other](completion<std::string> done) { other = std::thread([done = std::move(done)] { done(nullptr, "from afar"); }); };
    EXPECT_EQ(run_task(context, suspend_until_complete<std::string>(start)), "from afar");
    other.join();
}

TEST(SuspendUntilComplete, ThrowsTheFailure)
{
    asio::io_context context;
    auto start = [](completion<void> done) { done(std::make_exception_ptr(std::runtime_error("no")), std::nullopt); };
    EXPECT_THROW(run_task(context, suspend_until_complete<void>(start)), std::runtime_error);
}

}    // namespace
}    // namespace caisson
