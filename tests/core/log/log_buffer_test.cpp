#include "core/log/log_buffer.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

constexpr auto out = output_stream::stdout_stream;
constexpr auto err = output_stream::stderr_stream;

log_options small()
{
    log_options options;
    options.max_output_bytes = 100;
    options.tail_bytes = 20;
    options.ring_bytes = 4'096;
    return options;
}

void store_all(log_buffer& log)
{
    log.take();
    log.stored();
}

/// What a viewer sees from the first entry on, as text: "o0:hello" is output of stdout at 0, "c" a control event, "t5+7" a cut.
std::string shown(const log_buffer& log)
{
    std::string text;
    for (auto i = log.first_number(); i < log.end_number(); ++i) {
        const auto& event = *log.entry(i);
        if (!text.empty())
            text += ' ';
        const std::string stream = event.stream == out ? "o" : "e";
        if (event.kind == event_kind::output)
            text += stream + std::to_string(event.offset) + ":" + std::string(event.data.view());
        else if (event.kind == event_kind::truncated)
            text += "t" + stream + std::to_string(event.offset) + "+" + std::to_string(event.missing_bytes);
        else
            text += "c";
    }
    return text;
}

std::string as_text(const log_buffer::batch& batch)
{
    std::string text;
    for (const auto& event : batch.events)
        text +=
            event->kind == event_kind::output ? std::string(event->data.view()) + "|" : "<" + std::to_string(event->missing_bytes) + ">|";
    return text;
}

TEST(LogBuffer, ShowsOutputBeforeItIsStored)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes("hello"), 1);
    EXPECT_EQ(shown(log), "o0:hello");
    EXPECT_EQ(log.acknowledgeable(out), 0u);
    store_all(log);
    EXPECT_EQ(log.acknowledgeable(out), 5u);
    EXPECT_FALSE(log.has_unstored());
}

TEST(LogBuffer, HidesControlEventsAndWhatFollowsUntilTheyAreStored)
{
    log_buffer log(small());
    log.control(event_kind::state, "{}", 1);
    log.output(out, 0, shared_bytes("x"), 1);
    EXPECT_EQ(shown(log), "");
    store_all(log);
    EXPECT_EQ(shown(log), "c o0:x");
    EXPECT_EQ(log.entry(1)->end.seq(), 2u);
}

TEST(LogBuffer, DropsRepeatedBytes)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes("abc"), 1);
    log.output(out, 0, shared_bytes("abc"), 1);
    log.output(out, 1, shared_bytes("bcd"), 1);
    EXPECT_EQ(shown(log), "o0:abc o3:d");
}

TEST(LogBuffer, KeepsCharactersWhole)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes("a\xe2\x82"), 1);
    EXPECT_EQ(shown(log), "o0:a");
    EXPECT_TRUE(log.holds_back());
    log.output(out, 3, shared_bytes("\xac!"), 1);
    EXPECT_EQ(shown(log), "o0:a o1:\xe2\x82\xac!");
    EXPECT_FALSE(log.holds_back());
}

TEST(LogBuffer, ReleasesAHeldBeginOfACharacter)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes("\xe2"), 1);
    EXPECT_EQ(shown(log), "");
    log.release_held(2);
    EXPECT_EQ(shown(log), "o0:\xe2");
    log.output(out, 1, shared_bytes("\x82"), 2);
    log.end(out, 3);
    EXPECT_EQ(shown(log), "o0:\xe2 o1:\x82");
}

TEST(LogBuffer, CutsTheHeadAndKeepsTheTail)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes(std::string(90, 'a')), 1);
    log.output(out, 90, shared_bytes(std::string(30, 'b')), 1);
    log.output(out, 120, shared_bytes(std::string(40, 'c')), 1);
    const auto batch = log.take();
    EXPECT_EQ(as_text(batch), std::string(90, 'a') + "|" + std::string(10, 'b') + "|");
    ASSERT_EQ(batch.cuts.size(), 1u);
    EXPECT_EQ(batch.cuts[0].offset, 100u);
    EXPECT_EQ(log.acknowledgeable(out), 0u);
    log.stored();
    EXPECT_EQ(log.acknowledgeable(out), 140u);    // all but the tail
    EXPECT_FALSE(log.truncated(out));
    log.end(out, 2);
    EXPECT_EQ(as_text(log.take()), "<40>|" + std::string(20, 'c') + "|");
    EXPECT_TRUE(log.truncated(out));
    EXPECT_EQ(log.stored_position().stdout_end, 160u);
}

TEST(LogBuffer, AtTheEndOfAnAttemptTheTailIsStoredAndTheStreamGoesOn)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes(std::string(150, 'a')), 1);
    store_all(log);
    log.end_attempt(2);
    EXPECT_EQ(as_text(log.take()), "<30>|" + std::string(20, 'a') + "|");
    log.stored();
    EXPECT_EQ(log.stored_position().stdout_end, 150u);
    log.end_attempt(2);
    EXPECT_TRUE(log.take().empty()) << "there is nothing new";
    log.output(out, 150, shared_bytes(std::string(50, 'b')), 3);
    EXPECT_TRUE(log.take().empty()) << "it stays cut";
    log.end(out, 4);
    EXPECT_EQ(as_text(log.take()), "<30>|" + std::string(20, 'b') + "|");
    EXPECT_EQ(log.stored_position().stdout_end, 200u);
}

TEST(LogBuffer, ACutWithNothingMissingIsNoTruncation)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes(std::string(110, 'a')), 1);
    store_all(log);
    log.end(out, 1);
    EXPECT_EQ(as_text(log.take()), std::string(10, 'a') + "|");
    EXPECT_FALSE(log.truncated(out));
    EXPECT_TRUE(log.was_cut(out));
}

TEST(LogBuffer, BothStreamsShareTheHead)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes(std::string(100, 'a')), 1);
    log.output(err, 0, shared_bytes(std::string(30, 'e')), 1);
    log.end(err, 1);
    log.end(out, 1);
    EXPECT_FALSE(log.was_cut(out));
    EXPECT_TRUE(log.was_cut(err));
    EXPECT_EQ(as_text(log.take()), std::string(100, 'a') + "|<10>|" + std::string(20, 'e') + "|");
}

TEST(LogBuffer, TheTailBeginsAtACharacter)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes(std::string(100, 'a')), 1);
    std::string euros;
    for (int i = 0; i < 10; ++i)
        euros += "\xe2\x82\xac";
    log.output(out, 100, shared_bytes(euros), 1);
    log.end(out, 1);
    EXPECT_EQ(as_text(log.take()), std::string(100, 'a') + "|<12>|" + euros.substr(12) + "|");
}

TEST(LogBuffer, AGapInTheHeadIsATruncation)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes("ab"), 1);
    log.gap(out, 5, 1);
    log.output(out, 7, shared_bytes("cd"), 1);
    store_all(log);
    EXPECT_EQ(shown(log), "o0:ab to2+5 o7:cd");
    EXPECT_TRUE(log.truncated(out));
}

TEST(LogBuffer, GoesOnWhereAnEarlierServerStopped)
{
    log_extent stored;
    stored.end = {2, 10, 4};
    stored.stored_output_bytes = 14;
    log_buffer log(small(), stored);
    EXPECT_EQ(log.received(out), 10u);
    log.output(out, 8, shared_bytes("xyz"), 1);
    log.output(err, 4, shared_bytes("e"), 1);
    EXPECT_EQ(shown(log), "o10:z e4:e");
    EXPECT_EQ(log.entry(log.first_number())->end.seq(), 17u);
}

TEST(LogBuffer, GoesOnBehindACut)
{
    log_extent stored;
    stored.end = {2, 100, 0};
    stored.cuts = {{out, 100}};
    stored.stored_output_bytes = 100;
    log_buffer log(small(), stored);
    log.gap(out, 380, 1);    // the agent kept its newest bytes only
    log.output(out, 480, shared_bytes(std::string(20, 'z')), 1);
    EXPECT_EQ(log.acknowledgeable(out), 480u);
    log.output(err, 0, shared_bytes("late"), 1);
    log.end(out, 1);
    log.end(err, 1);
    EXPECT_EQ(as_text(log.take()), "<380>|" + std::string(20, 'z') + "|late|");
}

TEST(LogBuffer, TheRingIsBoundedAndKeepsWhatIsNotStored)
{
    log_buffer log(small());
    std::uint64_t offset = 0;
    for (int i = 0; i < 100; ++i, ++offset)
        log.output(out, offset, shared_bytes("x"), 1);
    EXPECT_EQ(log.end_number() - log.first_number(), 100u);    // none is stored
    store_all(log);
    const auto kept = log.end_number() - log.first_number();
    EXPECT_LT(kept, 20u);
    EXPECT_EQ(log.ring_start().stdout_end, 100 - kept);
}

TEST(LogBuffer, WhatComesWhileABatchIsWrittenWaitsForTheNext)
{
    log_buffer log(small());
    log.output(out, 0, shared_bytes("a"), 1);
    EXPECT_EQ(as_text(log.take()), "a|");
    log.output(out, 1, shared_bytes("b"), 1);
    log.stored();
    EXPECT_EQ(log.acknowledgeable(out), 1u);
    EXPECT_EQ(as_text(log.take()), "b|");
    log.stored();
    EXPECT_EQ(log.acknowledgeable(out), 2u);
}

TEST(LogBuffer, LittlePiecesThatCameTogetherAreStoredAsOne)
{
    log_options options;
    log_buffer log(options);
    log.control(event_kind::state, "{}", 1);
    std::uint64_t at = 0;
    const auto print = [&](output_stream stream, std::string text, std::int64_t at_ms) {
        const auto begin = log.received(stream);
        at += text.size();
        log.output(stream, begin, shared_bytes(std::move(text)), at_ms);
    };
    for (const auto* each : {"a", "b", "\n"})
        print(out, each, 5);
    print(err, "e", 5);
    print(out, "c", 25);
    print(out, "d", 26);
    print(out, "f", 46);
    print(out, std::string(17, 'l'), 46);
    print(out, "g", 46);
    EXPECT_EQ(log.end_number() - log.first_number(), 0u) << "the control event is not stored";
    const auto batch = log.take();
    EXPECT_EQ(as_text(batch), "<0>|ab\n|e|cd|f|lllllllllllllllll|g|");
    EXPECT_EQ(batch.events[1]->end.stdout_end, 3u);
    EXPECT_EQ(batch.events[1]->offset, 0u);
    EXPECT_EQ(batch.events[1]->at_ms, 5);
    EXPECT_EQ(log.stored_bytes(), 7 * log_event::stored_overhead + 2 + at);
    log.stored();
    EXPECT_FALSE(log.has_unstored());
    EXPECT_EQ(log.acknowledgeable(out), log.received(out));
    EXPECT_EQ(log.end_number() - log.first_number(), 10u) << "viewers see them as they came";
    EXPECT_EQ(log.stored_position().seq(), 1 + at);
}

TEST(LogBuffer, AFloodOfSingleBytesIsStoredInFewRows)
{
    log_buffer log(log_options{});
    for (std::uint64_t i = 0; i < 100'000; ++i)
        log.output(out, i, shared_bytes("x"), static_cast<std::int64_t>(i / 10'000));
    const auto batch = log.take();
    EXPECT_LE(batch.events.size(), 100u);
    EXPECT_LE(log.stored_bytes(), 110'000u);
    EXPECT_EQ(batch.events.back()->end.stdout_end, 100'000u);
}

}    // namespace
}    // namespace caisson
