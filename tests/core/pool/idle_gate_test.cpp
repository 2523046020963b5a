#include "core/pool/idle_gate.hpp"

#include "core/base/count_guard.hpp"
#include "tests/support/fake_timers.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace caisson {
namespace {

using namespace std::chrono_literals;

class IdleGate : public ::testing::Test {
protected:
    /// Begins to wait; waited() says whether it still does.
    void wait(std::chrono::milliseconds longest, idle_gate::work what = idle_gate::work::making)
    {
        done_ = false;
        context_.restart();
        asio::co_spawn(context_.get_executor(), idle_gate_.wait(what, longest), [this](std::exception_ptr) { done_ = true; });
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
    void release(idle_gate::work what)
    {
        idle_gate_.release_waiters(what);
        context_.restart();
        context_.poll();
    }

    asio::io_context context_;
    testing::fake_timers time_{context_.get_executor()};
    idle_gate idle_gate_{context_.get_executor(), time_};
    bool done_ = false;
};

TEST_F(IdleGate, IsThereAtOnceWhereNothingWasDisturbed)
{
    wait(250ms);
    EXPECT_TRUE(done_);
}

TEST_F(IdleGate, ComesSoonAfterTheLastDisturbance)
{
    idle_gate_.note_activity();
    wait(40ms);
    EXPECT_EQ(until_done(), 20ms);
}

TEST_F(IdleGate, WhoCanWaitForLongWaitsOutLongerPrograms)
{
    idle_gate_.note_activity();
    wait(400ms);
    EXPECT_EQ(until_done(), 100ms);
}

TEST_F(IdleGate, WhatIsRemovedDoesNot)
{
    idle_gate_.note_activity();
    wait(400ms, idle_gate::work::removing);
    EXPECT_EQ(until_done(), 20ms);
}

TEST_F(IdleGate, NeverLastsLongerThanIsBearable)
{
    const count_guard busy(idle_gate_.busy());
    wait(40ms);
    EXPECT_EQ(until_done(), 40ms);
}

TEST_F(IdleGate, WaitsUntilFilesAreCollected)
{
    EXPECT_FALSE(idle_gate_.is_collecting());
    {
        const count_guard files(idle_gate_.collecting());
        EXPECT_TRUE(idle_gate_.is_collecting());
        wait(400ms);
        advance(150ms);
        EXPECT_FALSE(done_);
    }
    EXPECT_LE(until_done(), 200ms);
    EXPECT_FALSE(idle_gate_.is_collecting());
}

TEST_F(IdleGate, ThoseWhoAreNeededDoNotWait)
{
    const count_guard files(idle_gate_.collecting());
    wait(400ms);
    release(idle_gate::work::removing);
    EXPECT_FALSE(done_) << "the other work";
    release(idle_gate::work::making);
    EXPECT_TRUE(done_);
}

/// Those that remove, in the order in which they began; true once one has gone.
class RemovalLine : public IdleGate {
protected:
    void join(std::chrono::milliseconds longest)
    {
        gone_.push_back(false);
        auto note = [this, number = gone_.size() - 1](std::exception_ptr) { gone_[number] = true; };
        auto token = asio::bind_cancellation_slot(leave_.emplace_back().slot(), note);
        asio::co_spawn(context_.get_executor(), idle_gate_.wait(idle_gate::work::removing, longest), token);
        settle();
    }
    void leave(std::size_t number)
    {
        leave_[number].emit(asio::cancellation_type::terminal);
        settle();
    }
    void settle()
    {
        context_.restart();
        context_.poll();
    }

    std::deque<asio::cancellation_signal> leave_;
    std::vector<bool> gone_;
};

TEST_F(RemovalLine, OnlyTheFirstWatchesTheClock)
{
    idle_gate_.note_activity();
    for (int i = 0; i < 5; ++i)
        join(250ms);
    settle();
    EXPECT_EQ(time_.waiting(), 1U);
    advance(19ms);
    EXPECT_EQ(gone_, std::vector<bool>(5, false));
    advance(1ms);
    EXPECT_EQ(gone_, std::vector<bool>(5, true));
}

TEST_F(RemovalLine, EachGoesWhenItsPatienceIsOver)
{
    const count_guard busy(idle_gate_.busy());
    join(250ms);
    advance(10ms);
    join(250ms);
    join(40ms);
    advance(40ms);
    EXPECT_EQ(gone_, (std::vector{false, false, true})) << "one with less patience than those before it";
    advance(200ms);
    EXPECT_EQ(gone_, (std::vector{true, false, true}));
    EXPECT_EQ(time_.waiting(), 1U);
    advance(10ms);
    EXPECT_EQ(gone_, (std::vector{true, true, true}));
}

TEST_F(RemovalLine, TheNextTakesOverFromOneThatIsCancelled)
{
    idle_gate_.note_activity();
    join(250ms);
    join(250ms);
    settle();
    leave(0);
    EXPECT_EQ(gone_, (std::vector{true, false}));
    EXPECT_EQ(time_.waiting(), 1U);
    advance(20ms);
    EXPECT_EQ(gone_, (std::vector{true, true}));
}

TEST_F(RemovalLine, AllGoOnceItIsClosed)
{
    const count_guard busy(idle_gate_.busy());
    for (int i = 0; i < 3; ++i)
        join(250ms);
    idle_gate_.close();
    settle();
    EXPECT_EQ(gone_, std::vector<bool>(3, true));
}

TEST_F(IdleGate, NobodyWaitsOnceItIsClosed)
{
    const count_guard busy(idle_gate_.busy());
    wait(400ms, idle_gate::work::removing);
    idle_gate_.close();
    context_.restart();
    context_.poll();
    EXPECT_TRUE(done_);
    wait(400ms);
    EXPECT_TRUE(done_);
}

}    // namespace
}    // namespace caisson
