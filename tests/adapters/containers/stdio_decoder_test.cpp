#include "adapters/engine/stdio_decoder.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace caisson::docker {
namespace {

/// A frame's head that announces `size` bytes.
std::string head(int stream, std::size_t size)
{
    std::string out(8, '\0');
    out[0] = static_cast<char>(stream);
    for (std::size_t i = 0; i < 4; ++i)
        out[7 - i] = static_cast<char>(size >> (8 * i));
    return out;
}

std::string frame(int stream, const std::string& payload) { return head(stream, payload.size()) + payload; }

/// Payloads as they came together: stream and bytes, neighbours of one stream joined.
using heard = std::vector<std::pair<int, std::string>>;

/// Feeds `pieces`; the last entry is of stream -1 and has the error, if there was one.
heard decode(stdio_decoder& by, const std::vector<std::string>& pieces, std::size_t most = stdio_decoder::most_frame_bytes)
{
    heard out;
    for (const auto& piece : pieces) {
        std::string_view left = piece;
        while (true) {
            const auto next = by.next(left, most);
            if (next.has_error()) {
                out.emplace_back(-1, next.error().detail);
                return out;
            }
            if (!*next)
                break;
            EXPECT_FALSE((*next)->bytes.empty());
            EXPECT_LE((*next)->bytes.size(), most);
            const int stream = static_cast<int>((*next)->stream);
            if (out.empty() || out.back().first != stream)
                out.emplace_back(stream, "");
            out.back().second += (*next)->bytes;
        }
        EXPECT_TRUE(left.empty());
    }
    return out;
}

const std::string sample = frame(1, "out") + frame(2, "") + frame(2, "err") + frame(1, std::string("\x01\0\0\0\0\0\0\x03", 8)) +
                           frame(0, "in") + frame(3, "engine") + frame(1, "");
const heard of_sample = {{1, "out"}, {2, "err"}, {1, std::string("\x01\0\0\0\0\0\0\x03", 8)}, {0, "in"}, {3, "engine"}};

TEST(StdioDecoder, ReadsFramesWhole)
{
    stdio_decoder decoder;
    EXPECT_EQ(decode(decoder, {sample}), of_sample);
    EXPECT_TRUE(decoder.between_frames());
}

TEST(StdioDecoder, ReadsFramesCutInTwoAnywhere)
{
    for (std::size_t at = 0; at <= sample.size(); ++at) {
        stdio_decoder decoder;
        EXPECT_EQ(decode(decoder, {sample.substr(0, at), sample.substr(at)}), of_sample) << at;
        EXPECT_TRUE(decoder.between_frames()) << at;
    }
}

TEST(StdioDecoder, ReadsFramesByteByByte)
{
    std::vector<std::string> bytes;
    for (const char c : sample)
        bytes.emplace_back(1, c);
    stdio_decoder decoder;
    EXPECT_EQ(decode(decoder, bytes), of_sample);
}

TEST(StdioDecoder, GivesNoMoreThanIsAskedFor)
{
    for (std::size_t most = 1; most < 5; ++most) {
        stdio_decoder decoder;
        EXPECT_EQ(decode(decoder, {sample}, most), of_sample) << most;
    }
}

TEST(StdioDecoder, TakesTheLargestFrame)
{
    stdio_decoder decoder;
    const std::string payload(stdio_decoder::most_frame_bytes, 'x');
    EXPECT_EQ(decode(decoder, {frame(1, payload)}), (heard{{1, payload}}));
}

TEST(StdioDecoder, KnowsWhetherAFrameIsWhole)
{
    const auto whole_after = [](const std::string& bytes) {
        stdio_decoder decoder;
        decode(decoder, {bytes});
        return decoder.between_frames();
    };
    EXPECT_TRUE(whole_after(""));
    EXPECT_FALSE(whole_after(head(1, 3).substr(0, 1)));
    EXPECT_FALSE(whole_after(head(1, 3)));
    EXPECT_FALSE(whole_after(head(1, 3) + "ab"));
    EXPECT_TRUE(whole_after(head(1, 3) + "abc"));
    EXPECT_TRUE(whole_after(head(1, 0)));
}

struct no_frame_case {
    std::string_view name;
    std::string bytes;
    std::string_view says;
};
class NoFrame : public ::testing::TestWithParam<no_frame_case> { };
TEST_P(NoFrame, IsRefusedAfterWhatCameBefore)
{
    stdio_decoder decoder;
    const auto got = decode(decoder, {frame(1, "good") + GetParam().bytes});
    ASSERT_EQ(got.size(), 2u);
    EXPECT_EQ(got[0], std::pair(1, std::string("good")));
    EXPECT_EQ(got[1].first, -1);
    EXPECT_NE(got[1].second.find(GetParam().says), std::string::npos) << got[1].second;
}
INSTANTIATE_TEST_SUITE_P(All, NoFrame,
    ::testing::Values(no_frame_case{"unknown_stream", head(4, 1), "no stream 4"},
        no_frame_case{"high_stream", head(255, 1), "no stream 255"},
        no_frame_case{"too_large", head(1, stdio_decoder::most_frame_bytes + 1), "16777217 bytes"},
        no_frame_case{"largest_number", head(2, 0xFFFFFFFF), "4294967295 bytes"},
        no_frame_case{"no_zeros", std::string("\x01\0\x01\0\0\0\0\x01", 8), "malformed"},
        no_frame_case{"text_of_a_terminal", "hello world", "no stream 104"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::docker
