#include "core/async/wait_until.hpp"

#include "tests/support/run_task.hpp"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <memory>

namespace caisson {
namespace {

struct counter {
    explicit counter(io_executor executor) : changed(executor) { }
    notifier changed;
    int value = 0;
};

enum class outcome { waiting, returned, aborted };

class WaitUntil : public ::testing::Test {
protected:
    /// Spawns a wait until `value` is `wanted`.
    std::shared_ptr<outcome> wait(int wanted)
    {
        auto now = std::make_shared<outcome>(outcome::waiting);
        const auto is_there = [wanted](const counter& of) { return of.value == wanted; };
        asio::co_spawn(context, wait_until(owner, is_there),
            [now](const std::exception_ptr& failure) { *now = failure ? outcome::aborted : outcome::returned; });
        turn();
        return now;
    }
    void set(int value)
    {
        owner->value = value;
        owner->changed.notify_all();
        turn();
    }
    void turn()
    {
        context.restart();
        context.poll();
    }

    asio::io_context context;
    std::shared_ptr<counter> owner = std::make_shared<counter>(context.get_executor());
};

TEST_F(WaitUntil, ReturnsAtOnceIfItHolds) { EXPECT_EQ(*wait(0), outcome::returned); }

TEST_F(WaitUntil, AsksAgainAfterEachChange)
{
    const auto now = wait(2);
    EXPECT_EQ(*now, outcome::waiting);
    set(1);
    EXPECT_EQ(*now, outcome::waiting);
    set(2);
    EXPECT_EQ(*now, outcome::returned);
}

TEST_F(WaitUntil, KeepsItsOwner)
{
    const auto now = wait(2);
    const std::weak_ptr<counter> watched = owner;
    owner.reset();
    EXPECT_FALSE(watched.expired());
    watched.lock()->value = 2;
    watched.lock()->changed.notify_all();
    turn();
    EXPECT_EQ(*now, outcome::returned);
    EXPECT_TRUE(watched.expired());
}

TEST_F(WaitUntil, NextChangeReturnsAtTheFirstBehindTheVersion)
{
    auto now = std::make_shared<outcome>(outcome::waiting);
    asio::co_spawn(context, next_change(owner, owner->changed.version()),
        [now](const std::exception_ptr& failure) { *now = failure ? outcome::aborted : outcome::returned; });
    turn();
    EXPECT_EQ(*now, outcome::waiting);
    set(1);
    EXPECT_EQ(*now, outcome::returned);
}

}    // namespace
}    // namespace caisson
