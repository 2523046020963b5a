#include "core/async/task_group.hpp"

#include "tests/core/async/frames.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using testing::fake_timers;
using testing::frame_watch;
using testing::nothing_after;
using testing::run_task;
using testing::watch;

class list_logger : public logger {
public:
    std::vector<std::string> lines;
    void write(log_level, std::string_view message, std::initializer_list<log_field> fields) noexcept override
    {
        auto line = std::string(message);
        for (const auto& field : fields)
            line += " " + std::string(field.name) + "=" + boost::json::serialize(field.value);
        lines.push_back(line);
    }
};

task<> throws(std::string text)
{
    throw std::runtime_error(text);
    co_return;
}

/// Goes on after it was cancelled, as clean-up that must suspend does.
task<> cleans_up(timers& time, watch seen)
{
    const testing::frame_guard guard(seen);
    try {
        co_await time.wait_for(1h);
    } catch (...) {
        ++seen->cancelled;
    }
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await time.wait_for(1s);
    ++seen->finished;
}

class TaskGroup : public ::testing::Test {
protected:
    asio::io_context context;
    fake_timers time{context.get_executor()};
    list_logger log;
    watch seen = std::make_shared<frame_watch>();
};

TEST_F(TaskGroup, RunsWhatIsSpawnedToItsEnd)
{
    task_group group(context.get_executor(), log);
    group.spawn("one", nothing_after(time, 1s, seen));
    group.spawn("two", nothing_after(time, 2s, seen));
    EXPECT_EQ(group.size(), 2u);
    context.poll();
    time.advance(1s);
    context.restart();
    context.poll();
    EXPECT_EQ(seen->finished, 1);
    EXPECT_EQ(group.size(), 1u);
    time.advance(1s);
    run_task(context, group.wait_idle());
    EXPECT_EQ(seen->finished, 2);
    EXPECT_TRUE(log.lines.empty());
}

TEST_F(TaskGroup, StopCancelsWhatIsSuspendedAndWaitsForItsEnd)
{
    task_group group(context.get_executor(), log);
    for (int i = 0; i < 10; ++i)
        group.spawn("waiter", nothing_after(time, 1h, seen));
    context.poll();
    EXPECT_EQ(time.waiting(), 10u);
    run_task(context, group.stop());
    EXPECT_EQ(seen->cancelled, 10);
    EXPECT_EQ(seen->destroyed, 10);
    EXPECT_EQ(group.size(), 0u);
    EXPECT_TRUE(log.lines.empty()) << log.lines.front();
}

TEST_F(TaskGroup, StopWaitsForCleanUpThatSuspends)
{
    task_group group(context.get_executor(), log);
    group.spawn("cleaner", cleans_up(time, seen));
    context.poll();
    bool stopped = false;
    asio::co_spawn(context, group.stop(), [&stopped](const std::exception_ptr&) { stopped = true; });
    context.restart();
    context.poll();
    EXPECT_EQ(seen->cancelled, 1);
    EXPECT_FALSE(stopped);
    time.advance(1s);
    context.restart();
    context.poll();
    EXPECT_EQ(seen->finished, 1);
    EXPECT_TRUE(stopped);
}

TEST_F(TaskGroup, StopMayBeCalledTwiceAndAtTheSameTime)
{
    task_group group(context.get_executor(), log);
    group.spawn("waiter", nothing_after(time, 1h, seen));
    context.poll();
    int stopped = 0;
    auto count = [&stopped](const std::exception_ptr& failure) { stopped += failure ? 0 : 1; };
    asio::co_spawn(context, group.stop(), count);
    asio::co_spawn(context, group.stop(), count);
    context.restart();
    context.poll();
    EXPECT_EQ(stopped, 2);
    run_task(context, group.stop());
    EXPECT_EQ(seen->destroyed, 1);
}

TEST_F(TaskGroup, AfterStopNothingStarts)
{
    task_group group(context.get_executor(), log);
    run_task(context, group.stop());
    group.spawn("late", nothing_after(time, 1s, seen));
    context.restart();
    context.poll();
    EXPECT_EQ(seen->started, 0);
    EXPECT_EQ(group.size(), 0u);
}

TEST_F(TaskGroup, AFailureIsLoggedWithItsNameAndTheOthersGoOn)
{
    task_group group(context.get_executor(), log);
    group.spawn("waiter", nothing_after(time, 1s, seen));
    group.spawn("thrower", throws("boom"));
    context.poll();
    ASSERT_EQ(log.lines.size(), 1u);
    EXPECT_EQ(log.lines[0], R"(a background task failed task="thrower" what="boom")");
    EXPECT_EQ(group.size(), 1u);
    time.advance(1s);
    run_task(context, group.wait_idle());
    EXPECT_EQ(seen->finished, 1);
}

TEST_F(TaskGroup, AFailureWhileStoppingIsLoggedToo)
{
    auto bad_cleanup = [](timers* time) -> task<> {
        try {
            co_await time->wait_for(1h);
        } catch (...) {
        }
        throw std::runtime_error("clean-up failed");
    };
    task_group group(context.get_executor(), log);
    group.spawn("cleaner", bad_cleanup(&time));
    context.poll();
    run_task(context, group.stop());
    ASSERT_EQ(log.lines.size(), 1u);
    EXPECT_NE(log.lines[0].find("clean-up failed"), std::string::npos);
}

TEST_F(TaskGroup, ATaskMaySpawnAnother)
{
    auto parent = [](task_group* group, timers* time, watch seen) -> task<> {
        group->spawn("child", nothing_after(*time, 1s, std::move(seen)));
        co_return;
    };
    task_group group(context.get_executor(), log);
    group.spawn("parent", parent(&group, &time, seen));
    context.poll();
    EXPECT_EQ(group.size(), 1u);
    run_task(context, group.stop());
    EXPECT_EQ(seen->cancelled, 1);
}

TEST_F(TaskGroup, WaitIdleOfAnEmptyGroupReturns)
{
    task_group group(context.get_executor(), log);
    run_task(context, group.wait_idle());
}

TEST_F(TaskGroup, ItsDestructorCancelsWithoutWaiting)
{
    auto group = std::make_unique<task_group>(context.get_executor(), log);
    group->spawn("waiter", nothing_after(time, 1h, seen));
    context.poll();
    asio::post(context, [&group] { group.reset(); });    // inside the loop
    context.restart();
    context.poll();
    EXPECT_EQ(seen->cancelled, 1);
    EXPECT_EQ(seen->destroyed, 1);
}

TEST_F(TaskGroup, ItsDestructorOutsideTheLoopLeavesTasksToTheContext)
{
    {
        task_group group(context.get_executor(), log);
        group.spawn("waiter", nothing_after(time, 1h, seen));
        context.poll();
    }
    context.restart();
    context.poll();
    EXPECT_EQ(seen->cancelled, 0);
    EXPECT_EQ(seen->destroyed, 0);
}

TEST(TaskGroupAtTheEnd, FramesThatAreStillSuspendedDieWithTheContext)
{
    const auto seen = std::make_shared<frame_watch>();
    null_logger log;
    {
        asio::io_context context;
        fake_timers time(context.get_executor());
        task_group group(context.get_executor(), log);
        group.spawn("suspended", nothing_after(time, 1h, seen));
        context.poll();
        group.spawn("never started", nothing_after(time, 1h, seen));
    }
    EXPECT_EQ(seen->started, 1);
    EXPECT_EQ(seen->destroyed, 1);
    EXPECT_EQ(seen->cancelled, 0);    // destroyed, not resumed
}

TEST(TaskGroupAtTheEnd, AStopThatIsStillWaitingDiesToo)
{
    const auto seen = std::make_shared<frame_watch>();
    null_logger log;
    {
        asio::io_context context;
        fake_timers time(context.get_executor());
        task_group group(context.get_executor(), log);
        group.spawn("cleaner", cleans_up(time, seen));
        context.poll();
        asio::co_spawn(context, group.stop(), [](const std::exception_ptr&) { FAIL() << "resumed"; });
        context.restart();
        context.poll();
        EXPECT_EQ(seen->cancelled, 1);
    }
    EXPECT_EQ(seen->finished, 0);
    EXPECT_EQ(seen->destroyed, 1);
}

}    // namespace
}    // namespace caisson
