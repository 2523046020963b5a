#include "core/async/both.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

task<int> give(int value) { co_return value; }
task<int> fail(std::string what)
{
    throw std::runtime_error(what);
    co_return 0;
}
task<int> note(std::vector<int>* order, int value)
{
    order->push_back(value);
    co_return value;
}

TEST(Both, GivesWhatBothGaveAndBeginsTheFirstFirst)
{
    asio::io_context context;
    std::vector<int> order;
    auto one = note(&order, 1);
    auto other = note(&order, 2);
    EXPECT_EQ(testing::run_task(context, both(std::move(one), std::move(other))), std::pair(1, 2));
    EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(Both, ThrowsWhatTheFirstThrewBeforeWhatTheSecondThrew)
{
    asio::io_context context;
    EXPECT_THROW(testing::run_task(context, both(give(1), fail("second"))), std::runtime_error);
    asio::io_context other;
    try {
        testing::run_task(other, both(fail("first"), fail("second")));
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "first");
    }
}

}    // namespace
}    // namespace caisson
