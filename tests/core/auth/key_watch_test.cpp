#include "core/auth/key_watch.hpp"

#include "core/async/task_group.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using caisson::testing::run_task;

std::string no_digest(std::string_view text) { return std::string(text); }

class KeyWatch : public ::testing::Test {
protected:
    KeyWatch() { tasks_.spawn("looks", watch_.run()); }
    ~KeyWatch() override { run_task(io_, tasks_.stop()); }

    key_id make(std::optional<std::int64_t> expires = std::nullopt)
    {
        return run_task(io_, auth_.create_key("acme", {scope::run}, expires))->row.id;
    }
    /// Somebody who waits for the end of `key`, and notes it.
    void wait(const key_id& key, int& ended)
    {
        tasks_.spawn("waits", note(watch_.until_ended(key), ended));
        settle();
    }
    void look()
    {
        time_.advance(key_watch::look_every);
        settle();
    }
    void settle()
    {
        io_.restart();
        io_.poll();
    }
    static task<> note(task<wait_end> wait, int& ended)
    {
        const auto how = co_await std::move(wait);
        if (how == wait_end::came)    // else what it counts in may be gone
            ++ended;
    }

    asio::io_context io_;
    caisson::testing::fake_timers time_{io_.get_executor()};
    null_logger log_;
    caisson::testing::fake_key_store store_;
    auth_service auth_{store_, time_, &no_digest};
    key_watch watch_{auth_, time_, io_.get_executor()};
    task_group tasks_{io_.get_executor(), log_};
};

TEST_F(KeyWatch, TellsAllWhoWaitThatAnotherProcessRevokedAKey)
{
    const auto key = make();
    const auto other = make();
    int ended = 0;
    int others = 0;
    wait(key, ended);
    wait(key, ended);
    wait(other, others);
    look();
    EXPECT_EQ(ended, 0);
    ASSERT_TRUE(run_task(io_, store_.revoke_key(key, time_.now_ms())).has_value());
    look();
    EXPECT_EQ(ended, 2);
    EXPECT_EQ(others, 0);
}

TEST_F(KeyWatch, AWaitThatBeginsLaterIsNotForgotten)
{
    const auto key = make();
    auto waiting = watch_.until_ended(key);
    look();
    int ended = 0;
    tasks_.spawn("waits", note(std::move(waiting), ended));
    settle();
    ASSERT_TRUE(run_task(io_, store_.revoke_key(key, time_.now_ms())).has_value());
    look();
    EXPECT_EQ(ended, 1);
}

TEST_F(KeyWatch, TellsThatAKeyExpired)
{
    int ended = 0;
    wait(make(time_.now_ms() + 5'000), ended);
    look();
    look();
    EXPECT_EQ(ended, 0);
    look();
    EXPECT_EQ(ended, 1);
}

TEST_F(KeyWatch, AKeyThatIsGoneHasEnded)
{
    int ended = 0;
    wait(key_id::from_trusted("key_00000000000000000000000000"), ended);
    look();
    EXPECT_EQ(ended, 1);
}

TEST_F(KeyWatch, AStoreThatFailsEndsNoKey)
{
    const auto key = make();
    int ended = 0;
    wait(key, ended);
    ASSERT_TRUE(run_task(io_, store_.revoke_key(key, time_.now_ms())).has_value());
    store_.fail_next({errc::runtime_unavailable, "busy"});
    look();
    store_.throw_next("the disk is broken");
    look();
    EXPECT_EQ(ended, 0);
    look();
    EXPECT_EQ(ended, 1);
}

}    // namespace
}    // namespace caisson
