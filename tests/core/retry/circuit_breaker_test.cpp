#include "core/retry/circuit_breaker.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;
using permit = circuit_breaker::permit;
using state = circuit_breaker::state;

class Breaker : public ::testing::Test {
protected:
    void fail(int times, std::chrono::milliseconds apart = 1ms)
    {
        for (int i = 0; i < times; ++i) {
            now_ += apart;
            breaker_.failed(early_, now_);
        }
    }
    /// What was given, as a word.
    std::string_view ask()
    {
        last_ = breaker_.ask(now_);
        EXPECT_EQ(last_.has_value() && !last_->trial, last_.has_value() && is() == state::closed);
        return !last_ ? "refused" : last_->trial ? "trial" : "ordinary";
    }
    permit trial()
    {
        EXPECT_EQ(ask(), "trial");
        return last_.value();
    }
    state is() const { return breaker_.state_at(now_); }
    /// Opens it and waits for its trial.
    void come_to_trial()
    {
        fail(5);
        now_ += breaker_.pause_left(now_);
    }

    steady_time now_{1h};
    circuit_breaker breaker_;
    const permit early_ = breaker_.ask(now_).value();    // from before anything happened
    std::optional<permit> last_;
};

TEST_F(Breaker, LetsAllPassAtFirst)
{
    EXPECT_EQ(is(), state::closed);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(ask(), "ordinary");
    EXPECT_EQ(breaker_.pause_left(now_), 0ms);
}

TEST_F(Breaker, OpensAfterFiveFaultsInARow)
{
    fail(4);
    EXPECT_EQ(is(), state::closed);
    fail(1);
    EXPECT_EQ(is(), state::open);
    EXPECT_EQ(ask(), "refused");
    EXPECT_EQ(breaker_.pause_left(now_), 1s);
    EXPECT_EQ(breaker_.faults(), 5u);
}

TEST_F(Breaker, ASuccessBetweenBeginsTheRowAnew)
{
    fail(4);
    breaker_.succeeded();
    fail(4);
    EXPECT_EQ(is(), state::closed);
    fail(1);
    EXPECT_EQ(is(), state::open);
}

TEST_F(Breaker, FaultsThatLieFarApartDoNotOpenIt)
{
    fail(20, 15'001ms);
    EXPECT_EQ(is(), state::closed);
    fail(1, 1s);    // with the last four of those before: five within 60 s
    EXPECT_EQ(is(), state::open);
}

TEST_F(Breaker, FaultsWithinTheWindowOpenIt)
{
    fail(5, 15s);
    EXPECT_EQ(is(), state::open);
}

TEST_F(Breaker, AfterThePauseOneTrialMayPass)
{
    fail(5);
    now_ += 999ms;
    EXPECT_EQ(ask(), "refused");
    now_ += 1ms;
    EXPECT_EQ(is(), state::half_open);
    EXPECT_EQ(ask(), "trial");
    EXPECT_EQ(ask(), "refused");
    now_ += 1h;
    EXPECT_EQ(ask(), "refused") << "the trial is still under way";
}

TEST_F(Breaker, ATrialThatSucceedsClosesIt)
{
    come_to_trial();
    EXPECT_EQ(ask(), "trial");
    breaker_.succeeded();
    EXPECT_EQ(is(), state::closed);
    EXPECT_EQ(breaker_.faults(), 0u);
    fail(4);
    EXPECT_EQ(ask(), "ordinary");
    fail(1);
    EXPECT_EQ(breaker_.pause_left(now_), 1s) << "the pause begins anew too";
}

TEST_F(Breaker, ATrialThatFailsDoublesThePauseUpToTheLongest)
{
    come_to_trial();
    std::vector<std::chrono::milliseconds> pauses;
    for (int i = 0; i < 8; ++i) {
        ASSERT_EQ(ask(), "trial");
        breaker_.failed(last_.value(), now_);
        EXPECT_EQ(ask(), "refused");
        pauses.push_back(breaker_.pause_left(now_));
        now_ += pauses.back();
    }
    EXPECT_EQ(pauses, (std::vector<std::chrono::milliseconds>{2s, 4s, 8s, 16s, 32s, 60s, 60s, 60s}));
}

TEST_F(Breaker, AnAbandonedTrialLeavesRoomForTheNext)
{
    come_to_trial();
    const auto first = trial();
    breaker_.abandoned(early_);
    EXPECT_EQ(ask(), "refused") << "another's end is not the trial's";
    breaker_.abandoned(first);
    EXPECT_EQ(ask(), "trial");
}

TEST_F(Breaker, WhatBeganBeforeItOpenedSaysNothingNew)
{
    fail(5);
    now_ += 500ms;
    fail(3);
    EXPECT_EQ(breaker_.pause_left(now_), 497ms);
    now_ += 497ms;
    EXPECT_EQ(ask(), "trial");
    fail(3);
    EXPECT_EQ(is(), state::half_open) << "the trial decides";
}

TEST_F(Breaker, ALateSuccessClosesItToo)
{
    fail(5);
    breaker_.succeeded();
    EXPECT_EQ(ask(), "ordinary");
}

TEST_F(Breaker, ATrialThatFailsAfterALateSuccessIsOneFaultOfAClosedOne)
{
    come_to_trial();
    const auto slow = trial();
    breaker_.succeeded();
    breaker_.failed(slow, now_);
    EXPECT_EQ(is(), state::closed);
    EXPECT_EQ(breaker_.faults(), 1u);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(ask(), "ordinary");
    fail(4);
    EXPECT_EQ(breaker_.pause_left(now_), 1s) << "never 0";
}

TEST_F(Breaker, AnEarlierTrialDoesNotEndALaterOne)
{
    come_to_trial();
    const auto slow = trial();
    breaker_.succeeded();
    come_to_trial();
    const auto later = trial();
    breaker_.abandoned(slow);
    EXPECT_EQ(ask(), "refused");
    breaker_.failed(slow, now_);
    EXPECT_EQ(is(), state::half_open);
    EXPECT_EQ(ask(), "refused") << "one trial at a time";
    breaker_.failed(later, now_);
    EXPECT_EQ(breaker_.pause_left(now_), 2s);
}

TEST_F(Breaker, AnEarlierTrialThatSucceedsClosesItAsAnyTryDoes)
{
    come_to_trial();
    trial();
    breaker_.succeeded();
    come_to_trial();
    const auto later = trial();
    breaker_.succeeded();
    breaker_.abandoned(later);
    EXPECT_EQ(is(), state::closed);
    EXPECT_EQ(breaker_.faults(), 0u);
}

TEST_F(Breaker, SaysWhetherItWouldLetOneTry)
{
    EXPECT_TRUE(breaker_.lets(now_));
    fail(5);
    EXPECT_FALSE(breaker_.lets(now_));
    now_ += 1s;
    EXPECT_TRUE(breaker_.lets(now_));
    trial();
    EXPECT_FALSE(breaker_.lets(now_));
}

TEST(BreakerStates, HaveNames)
{
    EXPECT_EQ(to_string(state::closed), "closed");
    EXPECT_EQ(to_string(state::open), "open");
    EXPECT_EQ(to_string(state::half_open), "half_open");
}

}    // namespace

}    // namespace caisson
