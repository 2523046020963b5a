#include "core/async/notifier.hpp"

#include "tests/support/run_task.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace caisson {
namespace {

using testing::run_task;

enum class outcome { waiting, returned, aborted };

class Notifier : public ::testing::Test {
protected:
    /// Spawns a wait past `seen`; the outcome lives as long as the fixture.
    std::shared_ptr<outcome> wait(std::uint64_t seen, asio::cancellation_signal* cancel = nullptr)
    {
        auto now = std::make_shared<outcome>(outcome::waiting);
        auto done = [now](const std::exception_ptr& failure) { *now = failure ? outcome::aborted : outcome::returned; };
        if (cancel)
            asio::co_spawn(context, notice->wait_past(seen), asio::bind_cancellation_slot(cancel->slot(), done));
        else
            asio::co_spawn(context, notice->wait_past(seen), done);
        turn();
        return now;
    }
    void turn()
    {
        context.restart();
        context.poll();
    }

    asio::io_context context;
    std::optional<notifier> notice{context.get_executor()};
};

TEST_F(Notifier, WakesAllWhoWait)
{
    const auto first = wait(0);
    const auto second = wait(0);
    EXPECT_EQ(*first, outcome::waiting);
    notice->notify_all();
    turn();
    EXPECT_EQ(*first, outcome::returned);
    EXPECT_EQ(*second, outcome::returned);
}

TEST_F(Notifier, AChangeBetweenTheLookAndTheWaitIsNotMissed)
{
    const auto seen = notice->version();
    notice->notify_all();
    run_task(context, notice->wait_past(seen));
}

TEST_F(Notifier, WaitsPastJustTheVersionThatWasSeen)
{
    notice->notify_all();
    const auto waiter = wait(2);
    notice->notify_all();
    turn();
    EXPECT_EQ(*waiter, outcome::waiting);    // version 2 is what it has seen
    notice->notify_all();
    turn();
    EXPECT_EQ(*waiter, outcome::returned);
}

TEST_F(Notifier, ManyChangesInATurnAreOneWake)
{
    const auto waiter = wait(0);
    for (int i = 0; i < 100; ++i)
        notice->notify_all();
    turn();
    EXPECT_EQ(*waiter, outcome::returned);
    EXPECT_EQ(notice->version(), 100u);
}

TEST_F(Notifier, CancellationEndsOneWaitOnly)
{
    asio::cancellation_signal cancel;
    const auto cancelled = wait(0, &cancel);
    const auto other = wait(0);
    cancel.emit(asio::cancellation_type::terminal);
    turn();
    EXPECT_EQ(*cancelled, outcome::aborted);
    EXPECT_EQ(*other, outcome::waiting);
    notice->notify_all();
    turn();
    EXPECT_EQ(*other, outcome::returned);
}

TEST_F(Notifier, ItsEndAbortsWhoWaits)
{
    const auto waiter = wait(0);
    notice.reset();
    turn();
    EXPECT_EQ(*waiter, outcome::aborted);
}

TEST_F(Notifier, AWaitThatBeginsAfterItsEndAborts)
{
    auto late = notice->wait_past(0);
    notice.reset();
    EXPECT_THROW(run_task(context, std::move(late)), boost::system::system_error);
}

TEST_F(Notifier, AWaitWithoutExceptionsTellsHowItEnded)
{
    std::vector<wait_end> ends;
    std::exception_ptr failure;
    auto note = [&](const std::exception_ptr& e, wait_end how) {
        failure = e;
        ends.push_back(how);
    };
    asio::cancellation_signal cancel;
    asio::co_spawn(context, notice->wait_past_or_cancelled(0), asio::bind_cancellation_slot(cancel.slot(), note));
    turn();
    cancel.emit(asio::cancellation_type::terminal);
    turn();
    asio::co_spawn(context, notice->wait_past_or_cancelled(0), note);
    turn();
    notice->notify_all();
    turn();
    asio::co_spawn(context, notice->wait_past_or_cancelled(1), note);
    turn();
    notice.reset();
    turn();
    EXPECT_EQ(ends, (std::vector{wait_end::cancelled, wait_end::came, wait_end::cancelled}));
    EXPECT_FALSE(failure);
}

TEST(NotifierAtTheEnd, SuspendedWaitersDieWithTheContext)
{
    bool resumed = false;
    {
        asio::io_context context;
        notifier notice(context.get_executor());
        asio::co_spawn(context, notice.wait_past(0), [&resumed](const std::exception_ptr&) { resumed = true; });
        context.poll();
    }
    EXPECT_FALSE(resumed);
}

}    // namespace
}    // namespace caisson
