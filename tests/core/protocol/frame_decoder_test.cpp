#include "tests/core/protocol/frames.hpp"

#include <random>

namespace caisson::protocol {
namespace {

using markers = frame_decoder::markers;

std::string stdin_frame(std::string_view bytes, std::uint64_t offset = 0)
{
    std::string out;
    encode_frame(out, 9, stdin_chunk{offset, bytes});
    return out += std::string(bytes) + frame_end;
}

/// What came out, as a text: "M" for a marker, "!" for broken, else the frame's bytes in brackets.
class reading {
public:
    explicit reading(markers where, std::size_t read_bytes = 64) : decoder_(read_bytes, where) { }

    reading& feed(std::string_view bytes, std::size_t at_once = 1000)
    {
        while (!bytes.empty()) {
            const auto room = decoder_.prepare();
            const auto part = bytes.substr(0, std::min(room.size(), at_once));
            part.copy(room.data(), part.size());
            decoder_.commit(part.size());
            bytes.remove_prefix(part.size());
            drain();
        }
        return *this;
    }
    const std::string& said() const { return said_; }
    frame_decoder& decoder() { return decoder_; }

private:
    void drain()
    {
        for (;;) {
            frame_view frame;
            switch (decoder_.next(frame)) {
            case decode_status::need_more: return;
            case decode_status::opened: said_ += "M"; break;
            case decode_status::broken: said_ += "!"; break;
            case decode_status::frame: {
                stdin_chunk chunk;
                said_ += decode(frame.body, chunk) ? "[" + std::string(chunk.bytes) + "]" : "[?]";
            }
            }
        }
    }
    frame_decoder decoder_;
    std::string said_;
};

const std::string marker(open_marker);

struct decoding_case {
    std::string_view name;
    markers where;
    std::string bytes;
    std::string_view want;
};
void PrintTo(const decoding_case& c, std::ostream* out) { *out << c.name; }

class FrameDecoder : public ::testing::TestWithParam<decoding_case> { };

TEST_P(FrameDecoder, SaysTheSameHoweverTheBytesArrive)
{
    const auto& c = GetParam();
    for (const std::size_t at_once : {1, 2, 3, 7, 16, 1000}) {
        auto said = reading(c.where).feed(c.bytes, at_once).said();
        std::erase(said, '!');    // what a marker cut off may or may not be noticed before the marker is
        EXPECT_EQ(said, c.want) << at_once;
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, FrameDecoder,
    ::testing::Values(decoding_case{"nothing_before_the_marker", markers::at_start, stdin_frame("a") + marker + stdin_frame("b"), "M[b]"},
        decoding_case{"two_frames", markers::at_start, marker + stdin_frame("a") + stdin_frame(""), "M[a][]"},
        decoding_case{"larger_than_a_read", markers::at_start, marker + stdin_frame(std::string(300, 'x')) + stdin_frame("y"),
            std::string_view("M[xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                             "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                             "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx][y]")},
        decoding_case{"half_a_frame_then_a_marker", markers::anywhere,
            marker + stdin_frame("lost").substr(0, 15) + marker + stdin_frame("b"), "MM[b]"},
        decoding_case{"half_a_length_then_a_marker", markers::anywhere,
            marker + stdin_frame("lost").substr(0, 2) + marker + stdin_frame("b"), "MM[b]"},
        decoding_case{"whole_frames_before_a_marker", markers::anywhere, marker + stdin_frame("a") + marker + stdin_frame("b"), "M[a]M[b]"},
        decoding_case{"half_a_marker_first", markers::anywhere, marker.substr(0, 9) + marker + stdin_frame("b"), "M[b]"},
        decoding_case{"half_a_marker_inside", markers::anywhere, marker + marker.substr(0, 1) + marker + stdin_frame("b"), "MM[b]"},
        decoding_case{"two_markers", markers::anywhere, marker + marker + stdin_frame("b"), "MM[b]"},
        decoding_case{"too_long_a_length", markers::anywhere,
            marker + std::string("\x01\x00\x04\x00", 4) + "rest" + marker + stdin_frame("b"), "MM[b]"},
        decoding_case{
            "too_short_a_length", markers::at_start, marker + std::string("\x08\x00\x00\x00", 4) + std::string(20, 'r') + marker, "MM"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(FrameDecoderLimits, SaysThatALengthIsBroken)
{
    EXPECT_EQ(reading(markers::at_start).feed(marker + std::string("\x01\x00\x04\x00", 4) + std::string(20, 'r')).said(), "M!");
    EXPECT_EQ(reading(markers::at_start).feed(marker + std::string("\x09\x00\x00\x00", 4) + std::string(20, 'r')).said(), "M!");
}

TEST(FrameDecoderLimits, SaysThatAFrameWithoutItsEndIsBroken)
{
    auto frame = stdin_frame("a");
    frame.back() = 'x';
    EXPECT_EQ(reading(markers::at_start).feed(marker + frame).said(), "M!");
}

TEST(FrameDecoderLimits, TakesTheLargestFrame)
{
    const auto whole = stdin_frame(std::string(max_chunk_bytes, 'z'));
    EXPECT_EQ(reading(markers::at_start).feed(marker + whole).said().size(), max_chunk_bytes + 3);
}

TEST(FrameDecoderLimits, GivesItsMemoryBackAfterALargeFrame)
{
    reading all(markers::at_start);
    all.feed(marker + stdin_frame(std::string(100'000, 'z')));
    EXPECT_EQ(all.decoder().prepare().size(), 64u);
}

TEST(FrameDecoderLimits, ResyncDropsWhatCameAfterAMarker)
{
    reading all(markers::at_start);
    all.feed(marker + stdin_frame("a"));
    all.decoder().resync();
    EXPECT_EQ(all.feed(stdin_frame("lost") + marker + stdin_frame("b")).said(), "M[a]M[b]");
}

/// Random frames in random pieces, with connections that break off in the middle: what was whole comes out, in order.
TEST(FrameDecoderRandom, FindsEveryConnection)
{
    std::mt19937 random(12345);
    for (int round = 0; round < 200; ++round) {
        std::string bytes;
        std::string want;
        for (int connection = 0; connection < 4; ++connection) {
            bytes += marker;
            want += "M";
            for (auto count = random() % 5; count > 0; --count) {
                const std::string body(random() % 200, static_cast<char>('a' + random() % 26));
                bytes += stdin_frame(body);
                want += "[" + body + "]";
            }
            const auto broken = stdin_frame(std::string(random() % 100, 'B'));
            bytes += broken.substr(0, random() % broken.size());
        }
        reading all(markers::anywhere, 1 + random() % 100);
        for (std::string_view rest = bytes; !rest.empty();) {
            const auto part = rest.substr(0, 1 + random() % 150);
            all.feed(part);
            rest.remove_prefix(part.size());
        }
        auto said = all.said();
        std::erase(said, '!');
        ASSERT_EQ(said, want) << "round " << round;
    }
}

/// Garbage never crashes, never yields more than fits, and a marker always ends it.
TEST(FrameDecoderRandom, SurvivesGarbage)
{
    std::mt19937 random(54321);
    for (int round = 0; round < 200; ++round) {
        std::string bytes = marker;
        for (auto count = random() % 2000; count > 0; --count)
            bytes += static_cast<char>(random() % 7 == 0 ? random() : 0);
        reading all(markers::anywhere, 1 + random() % 300);
        all.feed(bytes, 1 + random() % 100);
        const auto before = all.said().size();
        all.feed(marker + stdin_frame("end"));
        ASSERT_TRUE(all.said().ends_with("M[end]")) << "round " << round << " " << all.said().substr(before);
    }
}

/// Whatever payload is cut by chunk_length(): no marker in the stream but those that open a connection.
TEST(FrameDecoderRandom, PayloadsCannotForgeAMarker)
{
    std::mt19937 random(777);
    for (int round = 0; round < 100; ++round) {
        std::string payload;
        while (payload.size() < 400)
            payload += marker.substr(random() % 3, random() % 17);
        std::string bytes = marker;
        for (std::size_t at = 0; at < payload.size();) {
            const auto length = chunk_length(std::string_view(payload).substr(at), 1 + random() % 64);
            bytes += stdin_frame(payload.substr(at, length), at);
            at += length;
        }
        EXPECT_EQ(bytes.find(open_marker, 1), std::string::npos) << "round " << round;
    }
}

}    // namespace
}    // namespace caisson::protocol
