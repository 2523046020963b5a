#include "core/exec/lull.hpp"

#include "core/base/count_guard.hpp"
#include "tests/support/fake_timers.hpp"

#include <boost/asio/co_spawn.hpp>

#include <gtest/gtest.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;

class Lull : public ::testing::Test {
protected:
    /// Begins to wait; waited() says whether it still does.
    void wait(std::chrono::milliseconds longest, lull::work what = lull::work::making)
    {
        done_ = false;
        context_.restart();
        asio::co_spawn(context_.get_executor(), calm_.wait(what, longest), [this](std::exception_ptr) { done_ = true; });
        context_.poll();
    }
    void advance(std::chrono::milliseconds by)
    {
        for (auto left = by; left > 0ms; left -= 1ms) {
            time_.advance(1ms);
            context_.restart();
            context_.poll();
        }
    }
    /// How long the wait takes from now on, at most a second.
    std::chrono::milliseconds until_done()
    {
        auto passed = 0ms;
        for (; !done_ && passed < 1s; passed += 1ms)
            advance(1ms);
        return passed;
    }
    void hurry(lull::work what)
    {
        calm_.hurry(what);
        context_.restart();
        context_.poll();
    }

    asio::io_context context_;
    testing::fake_timers time_{context_.get_executor()};
    lull calm_{context_.get_executor(), time_};
    bool done_ = false;
};

TEST_F(Lull, IsThereAtOnceWhereNothingWasDisturbed)
{
    wait(250ms);
    EXPECT_TRUE(done_);
}

TEST_F(Lull, ComesSoonAfterTheLastDisturbance)
{
    calm_.disturb();
    wait(40ms);
    EXPECT_EQ(until_done(), 20ms);
}

TEST_F(Lull, WhoCanWaitForLongWaitsOutLongerPrograms)
{
    calm_.disturb();
    wait(400ms);
    EXPECT_EQ(until_done(), 100ms);
}

TEST_F(Lull, WhatIsRemovedDoesNot)
{
    calm_.disturb();
    wait(400ms, lull::work::removing);
    EXPECT_EQ(until_done(), 20ms);
}

TEST_F(Lull, NeverLastsLongerThanIsBearable)
{
    const count_guard busy(calm_.busy());
    wait(40ms);
    EXPECT_EQ(until_done(), 40ms);
}

TEST_F(Lull, WaitsUntilFilesAreCollected)
{
    EXPECT_FALSE(calm_.is_collecting());
    {
        const count_guard files(calm_.collecting());
        EXPECT_TRUE(calm_.is_collecting());
        wait(400ms);
        advance(150ms);
        EXPECT_FALSE(done_);
    }
    EXPECT_LE(until_done(), 200ms);
    EXPECT_FALSE(calm_.is_collecting());
}

TEST_F(Lull, ThoseWhoAreNeededDoNotWait)
{
    const count_guard files(calm_.collecting());
    wait(400ms);
    hurry(lull::work::removing);
    EXPECT_FALSE(done_) << "the other work";
    hurry(lull::work::making);
    EXPECT_TRUE(done_);
}

TEST_F(Lull, NobodyWaitsOnceItIsClosed)
{
    const count_guard busy(calm_.busy());
    wait(400ms, lull::work::removing);
    calm_.close();
    context_.restart();
    context_.poll();
    EXPECT_TRUE(done_);
    wait(400ms);
    EXPECT_TRUE(done_);
}

}    // namespace
}    // namespace caisson
