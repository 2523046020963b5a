#include "tests/core/protocol/link_state_fixture.hpp"

/// What the server's end makes of what it hears.
namespace caisson::protocol {
namespace {

class LinkHeard : public LinkState {
protected:
    /// As much output from `begin` on as an agent may hold; returns its end.
    std::uint64_t fill_window(std::uint64_t begin)
    {
        constexpr std::uint64_t piece = 64 * 1024;
        const auto end = begin + stream_window_bytes;
        for (auto at = begin; at < end; at += piece)
            EXPECT_TRUE(output(1, at, std::string(piece, 'o')));
        return end;
    }
};

struct offset_case {
    std::string_view name;
    std::vector<std::pair<std::uint64_t, std::string_view>> chunks;
    std::string_view want;
    std::uint64_t gaps;
};
void PrintTo(const offset_case& c, std::ostream* out) { *out << c.name; }

class LinkHeardOutput : public LinkState, public ::testing::WithParamInterface<offset_case> { };

TEST_P(LinkHeardOutput, GivesEachByteOnce)
{
    spawned();
    for (const auto& [offset, text] : GetParam().chunks)
        EXPECT_TRUE(output(1, offset, text));
    EXPECT_EQ(sink.out, GetParam().want);
    EXPECT_EQ(sink.gaps, GetParam().gaps);
}

INSTANTIATE_TEST_SUITE_P(Cases, LinkHeardOutput,
    ::testing::Values(offset_case{"in_order", {{0, "abc"}, {3, "de"}}, "abcde", 0},
        offset_case{"repeated", {{0, "abc"}, {0, "abc"}}, "abc", 0}, offset_case{"overlapping", {{0, "abc"}, {1, "bcde"}}, "abcde", 0},
        offset_case{"cut_otherwise", {{0, "abc"}, {0, "ab"}, {2, "cd"}}, "abcd", 0}, offset_case{"gap", {{0, "ab"}, {5, "fg"}}, "abfg", 3},
        offset_case{"gap_at_the_start", {{4, "e"}}, "e", 4}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(LinkHeard, SaysEverythingElseOnce)
{
    spawned();
    hear(1, started{10, 1});
    hear(1, stream_end{stream_number::stdout_stream, 0});
    hear(1, stream_end{stream_number::stdout_stream, 0});
    hear(1, exit_report{});
    hear(1, exit_report{});
    EXPECT_EQ(sink.started, 10);
    EXPECT_TRUE(sink.out_ended);
    EXPECT_TRUE(sink.exited.has_value());
}

TEST_F(LinkHeard, BytesAfterTheEndBreakTheProtocol)
{
    spawned();
    output(1, 0, "ab");
    hear(1, stream_end{stream_number::stdout_stream, 2});
    EXPECT_TRUE(output(1, 0, "ab"));
    EXPECT_FALSE(output(1, 2, "c"));
}

TEST_F(LinkHeard, AnEndBeforeWhatWasHeardBreaksTheProtocol)
{
    spawned();
    output(1, 0, "abc");
    EXPECT_FALSE(hear(1, stream_end{stream_number::stdout_stream, 2}));
    EXPECT_FALSE(sink.out_ended);
}

TEST_F(LinkHeard, AGapAfterTheEndBreaksTheProtocol)
{
    spawned();
    output(1, 0, "ab");
    hear(1, stream_end{stream_number::stdout_stream, 2});
    EXPECT_FALSE(output(1, 3, ""));
    EXPECT_FALSE(hear(1, stream_end{stream_number::stdout_stream, 4}));
    EXPECT_TRUE(hear(1, stream_end{stream_number::stdout_stream, 2}));
    EXPECT_EQ(sink.gaps, 0u);
}

TEST_F(LinkHeard, AcknowledgesWhatWasReceivedOnceAWrite)
{
    spawned();
    output(1, 0, "abcdef");
    at(1).acknowledge(stream_number::stdout_stream, 2);
    at(1).acknowledge(stream_number::stdout_stream, 4);
    at(1).acknowledge(stream_number::stdout_stream, 3);
    EXPECT_EQ(batch(), "ACK1(1,4)");
    at(1).acknowledge(stream_number::stdout_stream, 100);
    EXPECT_EQ(batch(), "ACK1(1,6)");
    EXPECT_EQ(batch(), "");
}

TEST_F(LinkHeard, MoreThanTheWindowBreaksTheProtocol)
{
    spawned();
    const auto end = fill_window(0);
    EXPECT_FALSE(output(1, end, "x"));
    EXPECT_TRUE(output(1, end - 1, "x")) << "a repeat takes no room";
    at(1).acknowledge(stream_number::stdout_stream, 3);
    EXPECT_FALSE(output(1, end, "1234"));
    EXPECT_TRUE(output(1, end, "123"));
    EXPECT_EQ(sink.out.size(), end + 3);
}

TEST_F(LinkHeard, TheWindowCountsFromWhereTheAgentGoesOn)
{
    state.attach(1, sink, resume_point{0, 0, 0});
    batch();
    ASSERT_TRUE(hear(1, exec_state{exec_phase::running, 5'000'000, 5'000'000, 0, 0, 0, 0}));
    EXPECT_EQ(sink.gaps, 5'000'000u);
    const auto end = fill_window(5'000'000);
    EXPECT_FALSE(output(1, end, "x"));
    EXPECT_FALSE(output(1, end + 1, "x")) << "nor by leaving something out";
    at(1).acknowledge(stream_number::stdout_stream, 5'000'001);
    EXPECT_FALSE(output(1, end, "xx"));
    EXPECT_TRUE(output(1, end, "x"));
}

TEST_F(LinkHeard, AfterANewConnectionTheWindowIsTheSame)
{
    spawned();
    const auto end = fill_window(0);
    at(1).acknowledge(stream_number::stdout_stream, 10);
    state.connected(true);
    EXPECT_EQ(batch(), "RESUME1(10,0,0)");
    ASSERT_TRUE(hear(1, exec_state{exec_phase::running, 10, end + 10, 0, 0, 0, 0}));
    EXPECT_TRUE(output(1, 10, "xxxxx"));
    EXPECT_TRUE(output(1, end, "0123456789"));
    EXPECT_FALSE(output(1, end + 10, "x"));
}

/// Detaches or forgets from inside of what it is told.
class leaving_sink final : public recording_sink {
public:
    explicit leaving_sink(link_state& state) : state_(state) { }
    void on_output(stream_number, std::uint64_t, shared_bytes) override { state_.forget(1); }

private:
    link_state& state_;
};

TEST_F(LinkHeard, ASinkMayForgetFromInsideOfACall)
{
    leaving_sink leaver(state);
    state.attach(1, leaver, std::nullopt);
    at(1).spawn(simple(), nullptr);
    batch();
    hear(1, started{1, 1});
    EXPECT_TRUE(output(1, 0, "a"));
    EXPECT_TRUE(output(1, 1, "b"));
    EXPECT_EQ(batch(), "FORGET1");
}

TEST_F(LinkHeard, RefusesWhatNoAgentSays)
{
    spawned();
    EXPECT_FALSE(state.on_frame(bare(frame_type::ping, 0).view()));
    EXPECT_FALSE(state.on_frame(bare(frame_type{99}, 1).view()));
    EXPECT_FALSE(state.on_frame(kept_frame{frame_type::output, 1, "x"}.view()));
    EXPECT_TRUE(state.on_frame(made(55, started{1, 1}).view())) << "an execution that is not attached";
}

}    // namespace
}    // namespace caisson::protocol
