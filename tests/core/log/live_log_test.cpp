#include "core/async/task_group.hpp"
#include "core/log/live_log.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

/// A log whose events may be stored with the record of its execution's end.
namespace caisson {
namespace {

using namespace std::chrono_literals;
using testing::run_task;

constexpr auto out = output_stream::stdout_stream;
constexpr auto patience = 20ms;

class LiveLog : public ::testing::Test {
protected:
    void make(log_options options = {}, log_extent stored = {})
    {
        live = std::make_shared<live_log>(context.get_executor(), id, store, time, log, options, std::move(stored));
        live->on_commit([this] { ++commits; });
        background.spawn("log", live->run(patience));
        turn();
    }
    ~LiveLog() override { run_task(context, background.stop()); }
    void turn()
    {
        context.restart();
        context.poll();
    }
    void pass(std::chrono::milliseconds by)
    {
        time.advance(by);
        turn();
    }
    void say(event_kind kind)
    {
        live->control(kind, "{}");
        turn();
    }
    void print(std::string bytes)
    {
        const auto size = bytes.size();
        live->output(out, printed, shared_bytes(std::move(bytes)));
        printed += size;
        turn();
    }

    asio::io_context context;
    testing::fake_timers time{context.get_executor()};
    null_logger log;
    testing::fake_event_store store;
    id_factory ids{time};
    execution_id id = ids.make<execution_id>();
    std::shared_ptr<live_log> live;
    task_group background{context.get_executor(), log};
    std::uint64_t printed = 0;
    int commits = 0;
};

TEST_F(LiveLog, OneThatIsShortIsTakenWhole)
{
    make();
    say(event_kind::state);
    print("hello");
    say(event_kind::exit);
    const auto whole = live->take_whole();
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->size(), 3U);
    pass(1s);
    EXPECT_EQ(store.appends(), 0U) << "somebody else stores it";
    EXPECT_TRUE(live->buffer().has_unstored());
    EXPECT_FALSE(live->take_whole()) << "once";
    EXPECT_EQ(live->buffer().acknowledgeable(out), 0U);
    live->stored_whole();
    EXPECT_FALSE(live->buffer().has_unstored());
    EXPECT_EQ(live->buffer().acknowledgeable(out), 5U);
    EXPECT_EQ(commits, 1);
    EXPECT_EQ(live->visible_end(), 3U);
    pass(1s);
    EXPECT_EQ(store.appends(), 0U);
}

TEST_F(LiveLog, WhoWaitsUntilItIsStoredWaitsForThatToo)
{
    make();
    say(event_kind::exit);
    ASSERT_TRUE(live->take_whole());
    bool flushed = false;
    asio::co_spawn(context, live->flushed(), [&](std::exception_ptr failure) { flushed = !failure; });
    turn();
    EXPECT_FALSE(flushed);
    live->stored_whole();
    turn();
    EXPECT_TRUE(flushed);
    EXPECT_EQ(store.appends(), 0U);
}

TEST_F(LiveLog, OneThatIsStoredInPartIsNot)
{
    make();
    say(event_kind::state);
    EXPECT_EQ(store.appends(), 0U);
    pass(patience);
    EXPECT_EQ(store.appends(), 1U);
    say(event_kind::exit);
    EXPECT_FALSE(live->take_whole());
}

TEST_F(LiveLog, OneWhoseBeginIsBeingStoredIsNot)
{
    make();
    store.cork();
    say(event_kind::state);
    pass(patience);
    EXPECT_FALSE(live->take_whole());
    store.uncork();
    turn();
    EXPECT_EQ(store.appends(), 1U);
}

TEST_F(LiveLog, OneOfWhichAnEarlierServerStoredSomethingIsNot)
{
    log_extent stored;
    stored.end.control = 1;
    make({}, stored);
    say(event_kind::exit);
    EXPECT_FALSE(live->take_whole());
}

TEST_F(LiveLog, OneThatSomebodyFollowsIsStoredAtOnce)
{
    make();
    say(event_kind::state);
    live->follow();
    turn();
    EXPECT_EQ(store.appends(), 1U);
    EXPECT_EQ(live->visible_end(), 1U);
}

TEST_F(LiveLog, MuchIsStoredAtOnceAndNotTaken)
{
    make();
    print(std::string(16 << 10, 'x'));
    EXPECT_EQ(store.appends(), 0U);
    print("x");
    EXPECT_EQ(store.appends(), 1U) << "its agent waits for that";
    EXPECT_FALSE(live->take_whole());
}

TEST_F(LiveLog, ManyEventsAreNotTaken)
{
    make();
    for (int i = 0; i < 32; ++i)
        say(event_kind::state);
    EXPECT_TRUE(live->take_whole());
    make();
    for (int i = 0; i < 33; ++i)
        say(event_kind::state);
    EXPECT_FALSE(live->take_whole());
}

TEST_F(LiveLog, OneThatIsCutIsNotTaken)
{
    make({.max_output_bytes = 4, .tail_bytes = 2});
    print("abcdef");
    live->end(out);
    EXPECT_FALSE(live->take_whole());
}

}    // namespace
}    // namespace caisson
