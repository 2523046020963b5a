#include "core/protocol/stdin_queue.hpp"
#include "core/protocol/stream_windows.hpp"

#include <gtest/gtest.h>

#include <random>

namespace caisson::protocol {
namespace {

std::size_t write(output_window& to, std::string_view bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto room = to.room();
        if (room.empty())
            break;
        const auto part = bytes.substr(done, room.size());
        part.copy(room.data(), part.size());
        to.filled(part.size());
        done += part.size();
    }
    return done;
}

std::string send_all(output_window& from)
{
    std::string all;
    for (auto part = from.unsent(1000); !part.empty(); part = from.unsent(1000)) {
        all += part;
        from.sent(part.size());
    }
    return all;
}

TEST(OutputWindow, HoldsAMebibyteUntilItIsAcknowledged)
{
    output_window window;
    EXPECT_EQ(write(window, std::string(stream_window_bytes + 5, 'a')), stream_window_bytes);
    EXPECT_FALSE(window.wants_input());
    EXPECT_EQ(send_all(window).size(), stream_window_bytes);
    EXPECT_FALSE(window.wants_input());
    window.acknowledge(10);
    EXPECT_TRUE(window.wants_input());
    EXPECT_EQ(write(window, std::string(100, 'b')), 10u);
    EXPECT_EQ(window.base(), 10u);
    EXPECT_EQ(window.end_offset(), stream_window_bytes + 10);
}

TEST(OutputWindow, IgnoresAcknowledgementsOfWhatWasNotSent)
{
    output_window window;
    write(window, "abcdef");
    window.acknowledge(6);
    EXPECT_EQ(window.base(), 0u);
    window.sent(3);
    window.acknowledge(6);
    EXPECT_EQ(window.base(), 3u);
    window.acknowledge(1);
    EXPECT_EQ(window.base(), 3u);
}

struct resume_case {
    std::string_view name;
    std::uint64_t acknowledged;    // of "0123456789", all of it sent
    std::uint64_t committed;
    std::uint64_t want_base;
    std::string_view want;
};
void PrintTo(const resume_case& c, std::ostream* out) { *out << c.name; }

class OutputResume : public ::testing::TestWithParam<resume_case> { };

TEST_P(OutputResume, SendsFromTheLaterOfBaseAndCommitted)
{
    const auto& c = GetParam();
    output_window window;
    write(window, "0123456789");
    window.end();
    send_all(window);
    window.eof_sent();
    window.acknowledge(c.acknowledged);
    window.resume(c.committed);
    EXPECT_EQ(window.base(), c.want_base);
    EXPECT_EQ(window.next_offset(), c.want_base);
    EXPECT_EQ(send_all(window), c.want);
    EXPECT_TRUE(window.eof_due());
}

INSTANTIATE_TEST_SUITE_P(Cases, OutputResume,
    ::testing::Values(resume_case{"from_the_start", 0, 0, 0, "0123456789"},
        resume_case{"committed_more_than_acknowledged", 2, 5, 5, "56789"}, resume_case{"committed_less_is_a_gap", 5, 2, 5, "56789"},
        resume_case{"all_committed", 3, 10, 10, ""}, resume_case{"more_than_there_is", 3, 99, 10, ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(OutputWindow, SaysEofOnceAfterTheLastByte)
{
    output_window window;
    write(window, "ab");
    window.end();
    EXPECT_FALSE(window.eof_due());
    send_all(window);
    EXPECT_TRUE(window.eof_due());
    window.eof_sent();
    EXPECT_FALSE(window.eof_due());
}

/// A model of the window: a text with three marks.
TEST(OutputWindow, KeepsBytesInOrderWhateverHappens)
{
    std::mt19937 random(4711);
    output_window window;
    std::string written;
    std::size_t checked = 0;
    for (int step = 0; step < 20'000; ++step) {
        switch (random() % 4) {
        case 0: {
            std::string more;
            for (auto count = random() % 20'000; count > 0; --count)
                more += static_cast<char>(random());
            written += more.substr(0, write(window, more));
            break;
        }
        case 1: {
            const auto part = window.unsent(1 + random() % 50'000);
            ASSERT_EQ(part, std::string_view(written).substr(window.next_offset(), part.size()));
            checked += part.size();
            window.sent(part.size());
            break;
        }
        case 2: window.acknowledge(window.base() + random() % 40'000); break;
        default:
            if (random() % 50 == 0)
                window.resume(window.base() + random() % 1000);
        }
        ASSERT_EQ(window.end_offset(), written.size());
    }
    EXPECT_GT(checked, 10u << 20);
}

struct input_case {
    std::string_view name;
    std::vector<std::pair<std::uint64_t, std::string_view>> pieces;
    std::string_view want;
};
void PrintTo(const input_case& c, std::ostream* out) { *out << c.name; }

class InputWindow : public ::testing::TestWithParam<input_case> { };

TEST_P(InputWindow, TakesEachByteOnce)
{
    input_window window;
    for (const auto& [offset, bytes] : GetParam().pieces)
        window.receive(offset, bytes);
    EXPECT_EQ(window.pending(), GetParam().want);
    EXPECT_EQ(window.taken(), GetParam().want.size());
}

INSTANTIATE_TEST_SUITE_P(Cases, InputWindow,
    ::testing::Values(input_case{"in_order", {{0, "abc"}, {3, "de"}}, "abcde"}, input_case{"repeat", {{0, "abc"}, {0, "abc"}}, "abc"},
        input_case{"overlap", {{0, "abc"}, {1, "bcde"}}, "abcde"}, input_case{"hole", {{0, "abc"}, {4, "e"}}, "abc"},
        input_case{"older_part", {{0, "abc"}, {1, "b"}}, "abc"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(InputWindow, LimitIsWhatItCanHold)
{
    input_window window;
    EXPECT_EQ(window.limit(), stream_window_bytes);
    window.receive(0, std::string(2 * stream_window_bytes, 'a'));
    EXPECT_EQ(window.taken(), stream_window_bytes);
    EXPECT_EQ(window.limit(), stream_window_bytes);
    EXPECT_TRUE(window.ack_due());
    window.ack_sent();
    window.delivered(100);
    EXPECT_EQ(window.limit(), stream_window_bytes + 100);
    EXPECT_FALSE(window.ack_due()) << "not for every byte";
    window.delivered(stream_window_bytes / 8);
    EXPECT_TRUE(window.ack_due());
}

TEST(InputWindow, EndsAfterTheLastByte)
{
    input_window window;
    window.receive_end(3);
    EXPECT_FALSE(window.finished());
    window.receive(0, "abcdef");
    EXPECT_EQ(window.taken(), 3u);
    EXPECT_FALSE(window.finished());
    window.delivered(3);
    EXPECT_TRUE(window.finished());
}

TEST(InputWindow, CountsOnWhenNobodyReads)
{
    input_window window;
    window.receive(0, "abc");
    window.reader_gone();
    EXPECT_TRUE(window.pending().empty());
    window.receive(3, std::string(3 * stream_window_bytes, 'x'));
    EXPECT_EQ(window.taken(), 3 + 3 * stream_window_bytes);
    EXPECT_TRUE(window.pending().empty());
}

shared_bytes bytes(std::string text) { return shared_bytes(std::move(text)); }

std::string take_all(stdin_queue& from)
{
    std::string all;
    std::uint64_t offset = 0;
    for (auto part = from.next(offset); !part.empty(); part = from.next(offset))
        all += part.view();
    return all;
}

TEST(StdinQueue, SendsUpToTheLimit)
{
    stdin_queue queue(0);
    queue.push(0, bytes("abcdef"));
    EXPECT_EQ(take_all(queue), "");
    queue.restart(4);
    EXPECT_EQ(take_all(queue), "abcd");
    queue.acknowledge(2, 5);
    EXPECT_EQ(take_all(queue), "e");
    EXPECT_EQ(queue.backlog(), 4u);
}

TEST(StdinQueue, SendsAgainWhatWasNotTaken)
{
    stdin_queue queue(0);
    for (const auto* each : {"ab", "cd", "ef"})
        queue.push(queue.end(), bytes(each));
    queue.finish(6);
    queue.restart(100);
    EXPECT_EQ(take_all(queue), "abcdef");
    EXPECT_TRUE(queue.take_end());
    EXPECT_FALSE(queue.take_end());
    queue.acknowledge(3, 100);
    queue.restart(0);
    EXPECT_FALSE(queue.take_end());
    queue.acknowledge(3, 100);
    EXPECT_EQ(take_all(queue), "def");
    EXPECT_TRUE(queue.take_end());
}

TEST(StdinQueue, DropsRepeatsHolesAndWhatFollowsTheEnd)
{
    stdin_queue queue(2);
    queue.restart(100);
    queue.push(0, bytes("abcd"));
    queue.push(3, bytes("de"));
    queue.push(9, bytes("x"));
    queue.finish_here();
    queue.push(5, bytes("f"));
    EXPECT_EQ(take_all(queue), "cde");
    EXPECT_EQ(queue.end(), 5u);
}

TEST(StdinQueue, GoesOnWhereTheAgentIsFurther)
{
    stdin_queue queue(0);
    EXPECT_TRUE(queue.acknowledge(4, 100));
    queue.push(0, bytes("abcdef"));
    EXPECT_EQ(take_all(queue), "ef");
}

}    // namespace
}    // namespace caisson::protocol
