#include "app/cli/frame_reader.hpp"

#include <boost/json/serialize.hpp>

#include <gmock/gmock.h>

namespace caisson::cli {
namespace {

using ::testing::HasSubstr;

std::string output(std::string_view stream, std::uint64_t offset, std::string_view data, std::string_view cursor = "")
{
    boost::json::object frame{{"kind", "output"}, {"stream", stream}, {"offset", offset}, {"data", data}};
    if (!cursor.empty())
        frame["cursor"] = cursor;
    return boost::json::serialize(frame);
}

class FrameReader : public ::testing::Test {
protected:
    /// Takes a frame; what it writes is added to out_ and err_.
    frame_effects take(const std::string& frame)
    {
        auto effects = reader_.take(frame).value();
        for (const auto& chunk : effects.output)
            (chunk.stream == "stderr" ? err_ : out_) += chunk.bytes;
        return effects;
    }

    frame_reader reader_;
    std::string out_;
    std::string err_;
};

TEST_F(FrameReader, GivesBothStreams)
{
    take(output("stdout", 0, "a"));
    take(output("stderr", 0, "x"));
    take(output("stdout", 1, "b"));
    EXPECT_EQ(out_, "ab");
    EXPECT_EQ(err_, "x");
}

TEST_F(FrameReader, CutsWhatAResumeRepeats)
{
    take(output("stdout", 0, "abc"));
    take(output("stdout", 0, "ab"));       // all had
    take(output("stdout", 1, "bcdef"));    // half had
    take(output("stderr", 0, "x"));        // another stream
    EXPECT_EQ(out_, "abcdef");
    EXPECT_EQ(err_, "x");
}

TEST_F(FrameReader, AnyCutOfTheSameBytesGivesThemOnce)
{
    const std::string text = "the quick brown fox";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        frame_reader reader;
        std::string got;
        const auto add = [&](const std::string& frame) {
            for (const auto& chunk : reader.take(frame).value().output)
                got += chunk.bytes;
        };
        add(output("stdout", 0, text.substr(0, cut)));
        add(output("stdout", cut / 2, text.substr(cut / 2)));
        EXPECT_EQ(got, text) << cut;
    }
}

TEST_F(FrameReader, WritesNothingForAFrameWithoutBytes)
{
    EXPECT_TRUE(take(output("stdout", 3, "")).output.empty());
    EXPECT_EQ(take(output("stdout", 3, "x")).output.size(), 1u);
}

TEST_F(FrameReader, DecodesBase64)
{
    take(R"({"kind":"output","stream":"stdout","offset":0,"data":"/wD+","encoding":"base64"})");
    EXPECT_EQ(out_, std::string("\xFF\0\xFE", 3));
    take(output("stdout", 3, "x"));
    EXPECT_EQ(out_.size(), 4u) << "offsets count bytes, not characters of base64";
}

TEST_F(FrameReader, CountsBytesOfText)
{
    take(output("stdout", 0, "é"));
    EXPECT_EQ(take(output("stdout", 2, "x")).note, "");
    EXPECT_EQ(out_, "éx");
}

TEST_F(FrameReader, SaysWhatWasCut)
{
    take(output("stdout", 0, "ab"));
    const auto cut = take(R"({"kind":"truncated","stream":"stdout","offset":2,"missing_bytes":2048})");
    EXPECT_THAT(cut.note, HasSubstr("2 KiB of stdout were cut"));
    EXPECT_EQ(take(output("stdout", 2'050, "z")).note, "");
    EXPECT_EQ(take(R"({"kind":"truncated","stream":"stdout","offset":2,"missing_bytes":2048})").note, "") << "said once";
    EXPECT_EQ(out_, "abz");
}

TEST_F(FrameReader, OfWhatIsCutItSaysOnlyWhatWasNotShown)
{
    take(output("stdout", 0, std::string(1'024, 'a')));
    const auto cut = take(R"({"kind":"truncated","stream":"stdout","offset":512,"missing_bytes":2560})");
    EXPECT_THAT(cut.note, HasSubstr("2 KiB of stdout were cut"));
    EXPECT_EQ(take(output("stdout", 3'072, "z")).note, "");
    EXPECT_EQ(out_, std::string(1'024, 'a') + "z");
}

TEST_F(FrameReader, SaysWhatIsMissingWithoutAWord)
{
    const auto effects = take(output("stdout", 5, "z"));
    EXPECT_THAT(effects.note, HasSubstr("5 bytes of stdout are missing"));
    EXPECT_EQ(out_, "z");
}

TEST_F(FrameReader, RemembersTheLastCursor)
{
    EXPECT_EQ(reader_.cursor(), "0");
    take(output("stdout", 0, "a", "c1"));
    EXPECT_EQ(reader_.cursor(), "c1");
    take(R"({"kind":"state","status":"running","cursor":"c2"})");
    EXPECT_EQ(reader_.cursor(), "c2");
    take(R"({"kind":"error","error":"internal","message":"m"})");
    EXPECT_EQ(reader_.cursor(), "c2");
}

TEST_F(FrameReader, SeesTheStartAndTheEnd)
{
    EXPECT_FALSE(take(R"({"kind":"state","status":"queued"})").started);
    EXPECT_TRUE(take(R"({"kind":"state","status":"running"})").started);
    take(R"({"kind":"usage","usage":{}})");
    EXPECT_FALSE(reader_.end().has_value());
    take(R"({"kind":"exit","status":"success","verdict":"exited","exit_code":0})");
    ASSERT_TRUE(reader_.end().has_value());
    EXPECT_EQ(reader_.end()->at("status").as_string(), "success");
}

TEST_F(FrameReader, KeepsAConnectionErrorUntilTheNextFrame)
{
    take(R"({"kind":"error","error":"forbidden","message":"not yours"})");
    EXPECT_EQ(reader_.connection_error(), "not yours");
    take(R"({"kind":"state","status":"running"})");
    EXPECT_EQ(reader_.connection_error(), "");
}

TEST_F(FrameReader, PassesOverKindsOfTheFuture)
{
    const auto effects = take(R"({"kind":"weather","cursor":"c9"})");
    EXPECT_TRUE(effects.output.empty());
    EXPECT_EQ(reader_.cursor(), "c9");
}

struct bad_case {
    std::string_view name;
    std::string_view frame;
};
class BadFrame : public ::testing::TestWithParam<bad_case> { };
TEST_P(BadFrame, IsRefused)
{
    frame_reader reader;
    const auto taken = reader.take(GetParam().frame);
    ASSERT_TRUE(taken.has_error());
    EXPECT_EQ(taken.error().code, errc::bad_request);
}
INSTANTIATE_TEST_SUITE_P(Cases, BadFrame,
    ::testing::Values(bad_case{"empty", ""}, bad_case{"not_json", "{"}, bad_case{"array", "[]"},
        bad_case{"bad_base64", R"({"kind":"output","stream":"stdout","offset":0,"data":"?","encoding":"base64"})"},
        bad_case{"unknown_encoding", R"({"kind":"output","stream":"stdout","offset":0,"data":"x","encoding":"gzip"})"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::cli
