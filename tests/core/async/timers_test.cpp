#include "core/async/timers.hpp"

#include "tests/support/run_task.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <gtest/gtest.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;

TEST(SystemTimers, AWaitUntilThePastReturns)
{
    asio::io_context context;
    system_timers time;
    testing::run_task(context, time.wait_until(time.steady_now() - 1h));
}

TEST(SystemTimers, AWaitDoesNotReturnEarly)
{
    asio::io_context context;
    system_timers time;
    const auto when = time.steady_now() + 2ms;
    testing::run_task(context, time.wait_until(when));
    EXPECT_GE(time.steady_now(), when);
}

TEST(SystemTimers, CancellationEndsAWait)
{
    asio::io_context context;
    system_timers time;
    asio::cancellation_signal cancel;
    std::exception_ptr failure;
    auto done = [&failure](const std::exception_ptr& e) { failure = e; };
    asio::co_spawn(context, time.wait_for(24h), asio::bind_cancellation_slot(cancel.slot(), done));
    context.poll();
    cancel.emit(asio::cancellation_type::terminal);
    context.run();
    EXPECT_TRUE(failure);
}

}    // namespace
}    // namespace caisson
