#include "core/protocol/received_stream.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace caisson::protocol {
namespace {

/// Receives a chunk as the link does. False if the agent broke the protocol.
bool receive(received_stream& into, std::uint64_t offset, std::string_view bytes)
{
    return into.skip_to(offset) && into.take(offset, bytes);
}

struct received_case {
    std::string_view name;
    std::uint64_t committed;
    std::vector<std::pair<std::uint64_t, std::string_view>> chunks;
    std::string_view want;
    std::uint64_t want_missing;
    std::uint64_t want_received;
};
void PrintTo(const received_case& c, std::ostream* out) { *out << c.name; }

class ReceivedStreamChunks : public ::testing::TestWithParam<received_case> { };

TEST_P(ReceivedStreamChunks, GiveEachByteOnce)
{
    const auto& c = GetParam();
    received_stream stream(c.committed);
    std::string got;
    std::uint64_t missing = 0;
    for (const auto& [offset, bytes] : c.chunks) {
        const auto skipped = stream.skip_to(offset);
        ASSERT_TRUE(skipped.has_value());
        missing += *skipped;
        const auto fresh = stream.take(offset, bytes);
        ASSERT_TRUE(fresh.has_value());
        got += *fresh;
    }
    EXPECT_EQ(got, c.want);
    EXPECT_EQ(missing, c.want_missing);
    EXPECT_EQ(stream.received(), c.want_received);
}

INSTANTIATE_TEST_SUITE_P(Cases, ReceivedStreamChunks,
    ::testing::Values(received_case{"in_order", 0, {{0, "abc"}, {3, "de"}}, "abcde", 0, 5},
        received_case{"repeated", 0, {{0, "abc"}, {0, "abc"}}, "abc", 0, 3},
        received_case{"overlapping", 0, {{0, "abc"}, {1, "bcde"}}, "abcde", 0, 5}, received_case{"empty", 0, {{0, ""}}, "", 0, 0},
        received_case{"after_what_is_committed", 2, {{2, "c"}}, "c", 0, 3}, received_case{"committed_in_part", 2, {{0, "abc"}}, "c", 0, 3},
        received_case{"gap", 2, {{5, "fg"}}, "fg", 3, 7}),
    [](const auto& info) { return std::string(info.param.name); });

struct breach_case {
    std::string_view name;
    bool (*before)(received_stream&);
    std::uint64_t offset;
    std::string_view bytes;
    bool accepted;
};
void PrintTo(const breach_case& c, std::ostream* out) { *out << c.name; }

bool fill_window(received_stream& stream) { return receive(stream, 0, std::string(stream_window_bytes, 'w')); }
bool fill_window_and_acknowledge_one(received_stream& stream)
{
    const bool filled = fill_window(stream);
    stream.acknowledge(1);
    return filled;
}
bool end_after_two(received_stream& stream) { return receive(stream, 0, "ab") && stream.finish(); }
bool skip_five(received_stream& stream) { return receive(stream, 5, "f"); }
bool skip_five_and_acknowledge_four(received_stream& stream)
{
    const bool skipped = skip_five(stream);
    stream.acknowledge(4);
    return skipped;
}
bool skip_five_and_acknowledge_them(received_stream& stream)
{
    const bool skipped = skip_five(stream);
    stream.acknowledge(5);
    return skipped;
}

class ReceivedStreamBreach : public ::testing::TestWithParam<breach_case> { };

TEST_P(ReceivedStreamBreach, IsNoticed)
{
    const auto& c = GetParam();
    received_stream stream(0);
    ASSERT_TRUE(c.before(stream));
    EXPECT_EQ(receive(stream, c.offset, c.bytes), c.accepted);
}

INSTANTIATE_TEST_SUITE_P(Cases, ReceivedStreamBreach,
    ::testing::Values(breach_case{"beyond_the_window", fill_window, stream_window_bytes, "x", false},
        breach_case{"repeat_in_a_full_window", fill_window, stream_window_bytes - 1, "x", true},
        breach_case{"within_what_was_acknowledged", fill_window_and_acknowledge_one, stream_window_bytes, "x", true},
        breach_case{"beyond_what_was_acknowledged", fill_window_and_acknowledge_one, stream_window_bytes, "xx", false},
        breach_case{"after_the_end", end_after_two, 2, "c", false}, breach_case{"repeat_after_the_end", end_after_two, 0, "ab", true},
        breach_case{"gap_after_the_end", end_after_two, 3, "", false},
        breach_case{"second_gap_before_the_first_is_acknowledged", skip_five_and_acknowledge_four, 8, "i", false},
        breach_case{"second_gap_after_that", skip_five_and_acknowledge_them, 8, "i", true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ReceivedStream, MissingBytesTakeNoRoomInTheWindow)
{
    received_stream stream(0);
    ASSERT_EQ(stream.skip_to(5'000'000), 5'000'000u);
    EXPECT_TRUE(receive(stream, 5'000'000, std::string(stream_window_bytes, 'w')));
    EXPECT_FALSE(receive(stream, 5'000'000 + stream_window_bytes, "x"));
}

TEST(ReceivedStream, EndsOnce)
{
    received_stream stream(0);
    EXPECT_TRUE(stream.finish());
    EXPECT_FALSE(stream.finish());
}

TEST(ReceivedStream, TellsWhatIsAcknowledgedOnceAConnection)
{
    received_stream stream(0);
    receive(stream, 0, "abcdef");
    EXPECT_EQ(stream.take_acknowledgement(), std::nullopt);
    stream.acknowledge(4);
    stream.acknowledge(3);
    EXPECT_EQ(stream.take_acknowledgement(), 4u);
    EXPECT_EQ(stream.take_acknowledgement(), std::nullopt);
    stream.acknowledge(100);
    EXPECT_EQ(stream.acknowledged(), 6u) << "no more than was received";
    stream.restart();
    EXPECT_EQ(stream.take_acknowledgement(), std::nullopt) << "RESUME tells it";
}

}    // namespace
}    // namespace caisson::protocol
