#include "core/async/task_group.hpp"
#include "core/log/log_reader.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using testing::run_task;

constexpr auto out = output_stream::stdout_stream;

/// A live log over a fake store, committing in the background.
struct world {
    asio::io_context context;
    testing::fake_timers time{context.get_executor()};
    null_logger log;
    testing::fake_event_store store;
    system_clock clock;
    id_factory ids{clock};
    execution_id id = ids.make<execution_id>();
    std::shared_ptr<live_log> live;
    task_group background{context.get_executor(), log};

    explicit world(std::size_t ring = 1 << 20, std::uint64_t most = 16 << 20)
    {
        log_options options;
        options.ring_bytes = ring;
        options.max_output_bytes = most;
        options.tail_bytes = 4;
        live = std::make_shared<live_log>(context.get_executor(), id, store, time, log, options, log_extent());
        background.spawn("log", live->run());
    }
    ~world() { run_task(context, background.stop()); }

    void turn()
    {
        context.restart();
        context.poll();
    }

    std::string read_some(log_reader& reader, bool follow, std::size_t bytes = 1 << 20)
    {
        std::string text;
        auto events = run_task(context, reader.next(bytes, follow));
        for (const auto& each : *events) {
            if (each.event->kind == event_kind::output)
                text += each.event->data.view().substr(each.skip);
            else if (each.event->kind == event_kind::truncated)
                text += "<" + std::to_string(each.event->missing_bytes) + ">";
            else
                text += each.event->kind == event_kind::exit ? "$" : "#";
        }
        return text;
    }
    std::string read_all(log_reader& reader)
    {
        std::string text;
        for (std::string part; !(part = read_some(reader, false)).empty();)
            text += part;
        return text;
    }
};

TEST(LogReader, ShowsBytesBeforeTheyAreStored)
{
    world w;
    w.store.cork();
    log_reader reader(w.id, w.store, w.live, {});
    w.live->output(out, 0, shared_bytes("live"));
    EXPECT_EQ(w.read_some(reader, true), "live");
    w.store.uncork();
}

TEST(LogReader, ReadsStorageThenFollows)
{
    world w(600);    // a small ring: most is in storage only
    for (std::uint64_t i = 0; i < 26; ++i) {
        w.live->output(out, i, shared_bytes(std::string(1, static_cast<char>('a' + i))));
        w.turn();
    }
    log_reader reader(w.id, w.store, w.live, {});
    EXPECT_EQ(w.read_all(reader), "abcdefghijklmnopqrstuvwxyz");
    w.live->output(out, 26, shared_bytes("!"));
    EXPECT_EQ(w.read_some(reader, true), "!");
}

TEST(LogReader, ResumesInTheMiddleOfAChunk)
{
    world w;
    w.live->output(out, 0, shared_bytes("hello"));
    w.turn();
    log_reader from_ring(w.id, w.store, w.live, {0, 2, 0});
    EXPECT_EQ(w.read_all(from_ring), "llo");
    log_reader from_store(w.id, w.store, nullptr, {0, 2, 0});
    EXPECT_EQ(w.read_all(from_store), "llo");
}

TEST(LogReader, EveryViewerSeesTheSame)
{
    world w;
    std::vector<std::unique_ptr<log_reader>> viewers;
    for (int i = 0; i < 10; ++i)
        viewers.push_back(std::make_unique<log_reader>(w.id, w.store, w.live, log_position()));
    w.live->control(event_kind::state, "{}");
    w.live->output(out, 0, shared_bytes("abc"));
    w.turn();
    for (auto& each : viewers)
        EXPECT_EQ(w.read_all(*each), "#abc");
}

TEST(LogReader, HidesTheExitUntilItIsPublished)
{
    world w;
    w.live->withhold_exit();
    w.live->output(out, 0, shared_bytes("x"));
    w.live->control(event_kind::exit, "{}");
    w.turn();
    log_reader reader(w.id, w.store, w.live, {});
    EXPECT_EQ(w.read_all(reader), "x");
    w.live->publish_exit();
    EXPECT_EQ(w.read_some(reader, true), "$");
    EXPECT_EQ(w.read_some(reader, true), "");    // the end
}

TEST(LogReader, APositionBeyondTheEndEndsWithTheLog)
{
    world w;
    log_reader reader(w.id, w.store, w.live, {99, 999, 0});
    w.live->output(out, 0, shared_bytes("x"));
    w.live->control(event_kind::exit, "{}");
    w.turn();
    EXPECT_EQ(w.read_some(reader, true), "");
    EXPECT_TRUE(reader.at_end());
}

TEST(LogReader, TheFinalPositionIsAtTheEnd)
{
    world w;
    w.live->output(out, 0, shared_bytes("x"));
    w.live->control(event_kind::exit, "{}");
    w.turn();
    log_reader whole(w.id, w.store, nullptr, {});
    EXPECT_EQ(w.read_all(whole), "x$");
    log_reader again(w.id, w.store, nullptr, whole.position());
    EXPECT_EQ(w.read_some(again, true), "");
    EXPECT_TRUE(again.at_end());
}

TEST(LogReader, ALogThatIsErasedUnderItsViewerIsNotAtItsEnd)
{
    world w;
    w.live->output(out, 0, shared_bytes("x"));
    w.live->output(out, 1, shared_bytes("y"));
    w.live->control(event_kind::exit, "{}");
    w.turn();
    log_reader reader(w.id, w.store, nullptr, {});
    auto first = run_task(w.context, reader.next(1, false));
    ASSERT_EQ(first->size(), 1u);
    run_task(w.context, w.store.erase(w.id));
    EXPECT_EQ(w.read_some(reader, true), "");
    EXPECT_FALSE(reader.at_end());
}

TEST(LogReader, TellsASlowViewerWhatItMissed)
{
    world w(600, 4);
    w.live->output(out, 0, shared_bytes("head"));
    for (std::uint64_t i = 0; i < 20; ++i) {
        w.live->output(out, 4 + i, shared_bytes(std::string(1, static_cast<char>('a' + i))));
        w.turn();
    }
    log_reader reader(w.id, w.store, w.live, {});
    const auto seen = w.read_all(reader);
    EXPECT_EQ(seen.substr(0, 5), "head<");
    EXPECT_EQ(seen.back(), 't');
    EXPECT_EQ(reader.position().stdout_end, 24u);
    w.live->end(out);
    w.turn();
    log_reader late(w.id, w.store, nullptr, {});
    EXPECT_EQ(w.read_all(late), "head<16>qrst");
}

/// A viewer that fell behind and is given the end by the store, of a log whose newest bytes are still in the ring: `bytes` are read at
/// once.
void follow_past_a_cut(std::size_t bytes)
{
    world w(1'500, 4);
    w.live->output(out, 0, shared_bytes("head"));
    w.turn();
    log_reader reader(w.id, w.store, w.live, {});
    EXPECT_EQ(w.read_all(reader), "head");
    for (std::uint64_t i = 0; i < 20; ++i)
        w.live->output(out, 4 + i, shared_bytes(std::string(1, static_cast<char>('a' + i))));
    w.live->end(out);
    w.live->withhold_exit();
    w.live->control(event_kind::exit, "{}");
    w.turn();    // all is stored, and what follows the head is out of the ring
    std::string seen;
    while (reader.position().stdout_end < 24)
        seen += w.read_some(reader, true, bytes);
    EXPECT_EQ(seen, "<16>qrst");
    w.live->publish_exit();
    auto events = run_task(w.context, reader.next(bytes, true));    // at once, without another change
    ASSERT_EQ(events->size(), 1u);
    EXPECT_EQ(events->front().event->kind, event_kind::exit);
    EXPECT_TRUE(reader.at_end());
}

TEST(LogReader, OneThatFellBehindGoesOnBehindTheCut) { follow_past_a_cut(1 << 20); }
TEST(LogReader, WhatItHasFromTheStoreDoesNotFillItsReading) { follow_past_a_cut(2); }

TEST(LogReader, OneThatSawAPartOfWhatIsCutGoesOnBehindTheCut)
{
    world w(600, 4);
    w.live->output(out, 0, shared_bytes("headabc"));
    w.turn();
    log_reader reader(w.id, w.store, w.live, {});
    EXPECT_EQ(w.read_some(reader, false), "headabc");
    for (std::uint64_t i = 7; i < 24; ++i)
        w.live->output(out, i, shared_bytes(std::string(1, static_cast<char>('a' + i - 4))));
    w.live->end(out);
    w.turn();
    auto events = run_task(w.context, reader.next(1 << 20, false));
    ASSERT_EQ(events->size(), 2u);
    EXPECT_EQ(events->front().event->kind, event_kind::truncated);
    EXPECT_EQ(events->front().event->offset, 4u);
    EXPECT_EQ(events->front().event->missing_bytes, 16u);
    EXPECT_EQ(events->back().event->offset, 20u);
    EXPECT_EQ(events->back().event->data.view(), "qrst");
    EXPECT_EQ(reader.position().stdout_end, 24u);
}

TEST(LogReader, StoringIsTriedAgainUntilItWorks)
{
    world w;
    w.store.fail_next({errc::internal, "the disk is full"});
    w.store.throw_next("the disk is full");
    w.live->output(out, 0, shared_bytes("kept"));
    w.turn();
    EXPECT_EQ(w.live->buffer().acknowledgeable(out), 0u);
    for (int i = 0; i < 3; ++i) {
        w.time.advance(std::chrono::seconds(2));
        w.turn();
    }
    EXPECT_EQ(w.live->buffer().acknowledgeable(out), 4u);
}

TEST(LogReader, AHeldCharacterIsShownAfterItsTime)
{
    world w;
    log_reader reader(w.id, w.store, w.live, {});
    w.live->output(out, 0, shared_bytes("\xe2"));
    w.turn();
    EXPECT_EQ(w.read_some(reader, false), "");
    w.time.advance(std::chrono::milliseconds(60));
    w.turn();
    EXPECT_EQ(w.read_some(reader, false), "\xe2");
}

TEST(LogReader, TellsOfBytesThatOnlyAnEarlierServerShowed)
{
    world w(1 << 20, 4);
    w.live->output(out, 0, shared_bytes(std::string("0123")));
    w.live->output(out, 4, shared_bytes(std::string("4567")));
    w.turn();
    log_reader reader(w.id, w.store, w.live, {0, 6, 0});    // it saw 45, then its server ended
    w.live->gap(out, 3);                                    // the agent had dropped up to 11
    w.live->output(out, 11, shared_bytes(std::string("bc")));
    w.turn();
    EXPECT_EQ(w.read_some(reader, false), "67<3>bc");
}

}    // namespace
}    // namespace caisson
