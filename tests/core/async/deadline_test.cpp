#include "core/async/deadline.hpp"

#include "core/async/notifier.hpp"
#include "tests/core/async/frames.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <memory>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using testing::fake_timers;
using testing::frame_watch;
using testing::run_task;
using testing::value_after;
using testing::watch;

task<int> answer(int value) { co_return value; }
task<> nothing() { co_return; }

task<int> throws(std::string text)
{
    throw std::runtime_error(text);
    co_return 0;
}

task<> advance(fake_timers& time, std::chrono::milliseconds by)
{
    time.advance(by);
    co_return;
}

bool is_abortion(const std::exception_ptr& failure)
{
    try {
        if (failure)
            std::rethrow_exception(failure);
    } catch (const boost::system::system_error& e) {
        return e.code() == asio::error::operation_aborted;
    }
    return false;
}

class Async : public ::testing::Test {
protected:
    /// Moves time once the work under test is suspended.
    void advance_later(std::chrono::milliseconds by)
    {
        asio::co_spawn(context, advance(time, by), [](const std::exception_ptr&) { });
    }

    asio::io_context context;
    fake_timers time{context.get_executor()};
    watch seen = std::make_shared<frame_watch>();
};
class WithDeadline : public Async { };
class Race : public Async { };

TEST_F(WithDeadline, GivesTheValueOfWorkThatIsDone)
{
    const auto got = run_task(context, with_deadline(time, time.steady_now() + 1s, answer(7)));
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(*got, 7);
    EXPECT_EQ(time.waiting(), 0u);
}

TEST_F(WithDeadline, TimesOutAndEndsTheWork)
{
    advance_later(10ms);
    const auto got = run_task(context, with_deadline(time, time.steady_now() + 5ms, value_after(time, 1h, 1, seen)));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::timed_out);
    EXPECT_EQ(seen->cancelled, 1);
    EXPECT_EQ(seen->destroyed, 1);
    EXPECT_EQ(time.waiting(), 0u);
}

TEST_F(WithDeadline, OfThePastStillTakesWorkThatNeedsNoWait)
{
    const auto got = run_task(context, with_deadline(time, time.steady_now() - 1s, answer(7)));
    ASSERT_TRUE(got.has_value());
    const auto late = run_task(context, with_deadline(time, time.steady_now() - 1s, value_after(time, 1ms, 1, seen)));
    EXPECT_TRUE(late.has_error());
}

TEST_F(WithDeadline, WorksForVoid) { EXPECT_TRUE(run_task(context, with_deadline(time, time.steady_now() + 1s, nothing())).has_value()); }

TEST_F(WithDeadline, TakesValuesThatCannotBeCopied)
{
    auto make = []() -> task<std::unique_ptr<int>> { co_return std::make_unique<int>(3); };
    auto got = run_task(context, with_deadline(time, time.steady_now() + 1s, make()));
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(**got, 3);
}

TEST_F(WithDeadline, PassesTheWorksExceptionOn)
{
    EXPECT_THROW(run_task(context, with_deadline(time, time.steady_now() + 1s, throws("boom"))), std::runtime_error);
    EXPECT_EQ(time.waiting(), 0u);
}

TEST_F(WithDeadline, CancellationFromOutsideIsNotATimeout)
{
    asio::cancellation_signal cancel;
    std::exception_ptr failure;
    auto done = [&failure](const std::exception_ptr& e, const result<int>&) { failure = e; };
    auto work = with_deadline(time, time.steady_now() + 1h, value_after(time, 2h, 1, seen));
    asio::co_spawn(context, std::move(work), asio::bind_cancellation_slot(cancel.slot(), done));
    context.poll();
    cancel.emit(asio::cancellation_type::terminal);
    context.restart();
    context.poll();
    ASSERT_TRUE(failure);
    EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
    EXPECT_EQ(seen->cancelled, 1);
    EXPECT_EQ(time.waiting(), 0u);
}

TEST_F(WithDeadline, TheInnerOneEndsFirst)
{
    advance_later(10ms);
    auto inner = with_deadline(time, time.steady_now() + 5ms, value_after(time, 1h, 1, seen));
    const auto got = run_task(context, with_deadline(time, time.steady_now() + 1h, std::move(inner)));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(seen->cancelled, 1);
}

TEST_F(WithDeadline, AResultStaysAsItIs)
{
    auto refused = []() -> task<result<int>> { co_return error{errc::conflict, "taken"}; };
    const result<int> got = run_task(context, with_deadline(time, time.steady_now() + 1s, refused()));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::conflict);
}

TEST_F(Race, TheFirstToEndDecides)
{
    const auto got = run_task(context, race(answer(1), value_after(time, 1h, 2, seen)));
    ASSERT_EQ(got.index(), 0u);
    EXPECT_EQ(std::get<0>(got), 1);
    EXPECT_EQ(seen->destroyed, 1);
}

TEST_F(Race, TheSecondMayBeTheFirst)
{
    const auto loser = std::make_shared<frame_watch>();
    std::variant<int, int> got;
    auto both = race(value_after(time, 1h, 1, loser), value_after(time, 1s, 2, seen));
    asio::co_spawn(context, std::move(both), [&got](const std::exception_ptr&, const auto& value) { got = value; });
    context.poll();
    time.advance(1s);
    context.restart();
    context.poll();
    ASSERT_EQ(got.index(), 1u);
    EXPECT_EQ(std::get<1>(got), 2);
    EXPECT_EQ(loser->cancelled, 1);
}

TEST_F(Race, OfThreeTheFirstDecidesAndBothOthersEnd)
{
    const auto loser = std::make_shared<frame_watch>();
    const auto got = run_task(context, race(value_after(time, 1h, 1, loser), nothing_after(time, 2h, seen), answer(3)));
    ASSERT_EQ(got.index(), 2u);
    EXPECT_EQ(std::get<2>(got), 3);
    EXPECT_EQ(loser->cancelled, 1);
    EXPECT_EQ(seen->cancelled, 1);
    EXPECT_EQ(run_task(context, race(nothing_after(time, 1h, seen), nothing(), value_after(time, 1h, 1, loser))).index(), 1u);
    EXPECT_THROW(run_task(context, race(nothing_after(time, 1h, seen), nothing_after(time, 1h, seen), throws("boom"))), std::runtime_error);
    EXPECT_EQ(time.waiting(), 0u);
}

TEST_F(Race, AWaitThatIsCancelledIsNoException)
{
    const auto got = run_task(context, race(time.wait_until_or_cancelled(time.steady_now() + 1h), answer(2)));
    EXPECT_EQ(got.index(), 1u);
    advance_later(1h);
    const auto waited = run_task(context, race(value_after(time, 2h, 1, seen), time.wait_until_or_cancelled(time.steady_now() + 1h)));
    EXPECT_EQ(waited.index(), 1u);
    EXPECT_EQ(time.waiting(), 0u);
}

TEST_F(Race, CancellationFromOutsideIsNoEndOfAWait)
{
    asio::cancellation_signal cancel;
    std::exception_ptr failure;
    auto both = race(time.wait_until_or_cancelled(time.steady_now() + 1h), value_after(time, 2h, 1, seen));
    auto done = [&failure](const std::exception_ptr& e, const auto&) { failure = e; };
    asio::co_spawn(context, std::move(both), asio::bind_cancellation_slot(cancel.slot(), done));
    context.poll();
    cancel.emit(asio::cancellation_type::terminal);
    context.restart();
    context.poll();
    EXPECT_TRUE(is_abortion(failure));
    EXPECT_EQ(seen->cancelled, 1);
}

TEST_F(Race, OfWaitsWithinARaceOneMayBeTheFirst)
{
    advance_later(1h);
    auto inner = race(value_after(time, 3h, 1, seen), time.wait_until_or_cancelled(time.steady_now() + 2h));
    const auto got = run_task(context, race(std::move(inner), time.wait_until_or_cancelled(time.steady_now() + 1h)));
    EXPECT_EQ(got.index(), 1u);
    EXPECT_EQ(seen->cancelled, 1);
    EXPECT_EQ(time.waiting(), 0u);
}

TEST_F(Race, AWaitForWhatIsGoneIsNoWinner)
{
    std::exception_ptr failure;
    auto notice = std::make_unique<notifier>(context.get_executor());
    auto both = race(value_after(time, 2h, 1, seen), notice->wait_past_or_cancelled(0));
    asio::co_spawn(context, std::move(both), [&failure](const std::exception_ptr& e, const auto&) { failure = e; });
    context.poll();
    notice.reset();
    context.restart();
    context.poll();
    EXPECT_TRUE(is_abortion(failure));
    EXPECT_EQ(seen->cancelled, 1);
}

TEST_F(Race, AnExceptionDecidesToo)
{
    EXPECT_THROW(run_task(context, race(throws("boom"), value_after(time, 1h, 2, seen))), std::runtime_error);
    EXPECT_EQ(seen->destroyed, 1);
    const auto other = std::make_shared<frame_watch>();
    EXPECT_THROW(run_task(context, race(value_after(time, 1h, 2, other), throws("boom"))), std::runtime_error);
    EXPECT_EQ(other->cancelled, 1);
}

TEST_F(Race, WaitsForTheLosersCleanUp)
{
    auto slow_loser = [](timers* clock, watch noted) -> task<> {
        const testing::frame_guard guard(noted);
        try {
            co_await clock->wait_for(1h);
        } catch (...) {
            ++noted->cancelled;
        }
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await clock->wait_for(1s);
        ++noted->finished;
    };
    bool ended = false;
    asio::co_spawn(context, race(answer(1), slow_loser(&time, seen)), [&ended](const std::exception_ptr&, const auto&) { ended = true; });
    context.poll();
    EXPECT_EQ(seen->cancelled, 1);
    EXPECT_FALSE(ended);
    time.advance(1s);
    context.restart();
    context.poll();
    EXPECT_EQ(seen->finished, 1);
    EXPECT_TRUE(ended);
}

TEST_F(Race, CancellingItCancelsBoth)
{
    asio::cancellation_signal cancel;
    std::exception_ptr failure;
    auto done = [&failure](const std::exception_ptr& e, const auto&) { failure = e; };
    auto both = race(value_after(time, 1h, 1, seen), value_after(time, 2h, 2, seen));
    asio::co_spawn(context, std::move(both), asio::bind_cancellation_slot(cancel.slot(), done));
    context.poll();
    cancel.emit(asio::cancellation_type::terminal);
    context.restart();
    context.poll();
    EXPECT_TRUE(failure);
    EXPECT_EQ(seen->cancelled, 2);
}

TEST(RaceAtTheEnd, SuspendedFramesDieWithTheContext)
{
    const auto seen = std::make_shared<frame_watch>();
    {
        asio::io_context context;
        fake_timers time(context.get_executor());
        auto both = race(value_after(time, 1h, 1, seen), value_after(time, 2h, 2, seen));
        asio::co_spawn(context, std::move(both), [](const std::exception_ptr&, const auto&) { });
        context.poll();
        EXPECT_EQ(time.waiting(), 2u);
    }
    EXPECT_EQ(seen->destroyed, 2);
    EXPECT_EQ(seen->cancelled, 0);    // destroyed, not resumed
}

}    // namespace
}    // namespace caisson
