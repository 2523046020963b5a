#include "core/async/background_job.hpp"

#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <stdexcept>
#include <thread>

namespace caisson {
namespace {

using testing::run_task;

TEST(Begun, RunsWhileItsOwnerDoesSomethingElse)
{
    asio::io_context context;
    worker_pool pool("work", 1);
    std::latch other_work{1};
    background_job<std::thread::id> work(pool, [&other_work] {
        other_work.wait();
        return std::this_thread::get_id();
    });
    other_work.count_down();
    EXPECT_NE(run_task(context, work.end()), std::this_thread::get_id());
}

TEST(Begun, GivesWhatWasFinishedBeforeItIsAskedFor)
{
    asio::io_context context;
    worker_pool pool("work", 1);
    background_job<std::unique_ptr<int>> work(pool, [] { return std::make_unique<int>(7); });
    pool.join();
    EXPECT_EQ(*run_task(context, work.end()), 7);
}

TEST(Begun, ThrowsWhatTheWorkThrew)
{
    asio::io_context context;
    worker_pool pool("work", 1);
    background_job<int> work(pool, []() -> int { throw std::domain_error("mine"); });
    EXPECT_THROW(run_task(context, work.end()), std::domain_error);
}

TEST(Begun, OnAStrandOneComesAfterTheOther)
{
    asio::io_context context;
    worker_pool pool("work", 2);
    const worker_strand order(pool.pool().get_executor());
    std::latch go{1};
    std::vector<int> done;
    background_job<int> first(order, [&] {
        go.wait();
        done.push_back(1);
        return 1;
    });
    background_job<int> second(order, [&] {
        done.push_back(2);
        return 2;
    });
    go.count_down();
    EXPECT_EQ(run_task(context, second.end()), 2);
    EXPECT_EQ(done, (std::vector{1, 2}));
    EXPECT_EQ(run_task(context, first.end()), 1);
}

TEST(Begun, MayGoBeforeItsWorkIsDone)
{
    bool ran = false;
    {
        std::latch go{1};
        worker_pool pool("work", 1);
        {
            const background_job<int> work(pool, [&] {
                go.wait();
                ran = true;
                return 1;
            });
        }
        go.count_down();
    }
    EXPECT_TRUE(ran);
}

}    // namespace
}    // namespace caisson
