#include "app/cli/api_client.hpp"
#include "app/cli/line_splitter.hpp"
#include "app/cli/reconnect_policy.hpp"
#include "app/cli/terminal.hpp"

#include "core/auth/key_text.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

namespace caisson::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr steady_time start{std::chrono::hours(1)};

TEST(ReconnectPolicy, DoublesUpToTwoSeconds)
{
    reconnect_policy policy;
    std::vector<milliseconds> delays;
    for (int i = 0; i < 7; ++i)
        delays.push_back(policy.broke(start).value());
    EXPECT_THAT(delays, ::testing::ElementsAre(milliseconds(100), milliseconds(200), milliseconds(400), milliseconds(800),
                            milliseconds(1'600), milliseconds(2'000), milliseconds(2'000)));
}

TEST(ReconnectPolicy, GivesUpWhenNothingWorkedForAMinute)
{
    reconnect_policy policy;
    EXPECT_TRUE(policy.broke(start).has_value());
    EXPECT_TRUE(policy.broke(start + seconds(60) - milliseconds(1)).has_value());
    EXPECT_FALSE(policy.broke(start + seconds(60)).has_value());
}

TEST(ReconnectPolicy, AFrameOrALongConnectionStartsItAnew)
{
    reconnect_policy policy;
    EXPECT_TRUE(policy.broke(start).has_value());
    policy.worked();
    EXPECT_EQ(policy.broke(start + seconds(100)), milliseconds(100));
    EXPECT_EQ(policy.broke(start + seconds(200), seconds(5)), milliseconds(100)) << "it was quiet, not broken";
    EXPECT_FALSE(policy.broke(start + seconds(300), milliseconds(4'999)).has_value());
}

TEST(LineSplitter, LinesFromAnyPieces)
{
    const std::string text = "one\n\nthree\nrest";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        line_splitter lines(100);
        std::vector<std::string> got;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            lines.feed(std::string_view(text).substr(at, piece));
            while (auto line = lines.next())
                got.push_back(*line);
        }
        EXPECT_THAT(got, ::testing::ElementsAre("one", "", "three")) << piece;
    }
}

TEST(LineSplitter, KnowsAnOverlongLine)
{
    line_splitter lines(4);
    lines.feed("abcd");
    EXPECT_FALSE(lines.overlong());
    lines.feed("e");
    EXPECT_TRUE(lines.overlong());
    lines.feed("\n");
    EXPECT_FALSE(lines.overlong());
    EXPECT_EQ(lines.next(), "abcde");
}

class Access : public ::testing::Test {
protected:
    Access()
    {
        std::string name = ::testing::TempDir() + "caisson-access-XXXXXX";
        options_.data_dir = ::mkdtemp(name.data());
        options_.url = default_url;
    }
    ~Access() override { std::filesystem::remove_all(options_.data_dir); }

    std::string keep_local_key()
    {
        const std::string text(make_key_text().reveal());
        std::ofstream(options_.data_dir / "admin.key") << text << "\n";
        return text;
    }
    std::string key(const std::map<std::string, std::string>& environment = {})
    {
        return std::string(resolve_access(options_, environment).value().key.reveal());
    }

    client_options options_;
};

TEST_F(Access, TheLocalKeyForThisMachine)
{
    const auto local = keep_local_key();
    for (const auto* url : {"http://127.0.0.1:8320", "http://localhost:1", "http://[::1]:8320", "http://127.9.9.9"}) {
        options_.url = url;
        EXPECT_EQ(key(), local) << url;
    }
}

TEST_F(Access, TheLocalKeyGoesNowhereElse)
{
    keep_local_key();
    for (const auto* url : {"http://10.0.0.1:8320", "http://127.evil.example", "http://localhost.evil.example:80", "http://example.com"}) {
        options_.url = url;
        EXPECT_EQ(key(), "") << url;
    }
}

TEST_F(Access, TheVariableWins)
{
    keep_local_key();
    EXPECT_EQ(key({{"CAISSON_API_KEY", "csn_x"}}), "csn_x");
    options_.url = "http://example.com";
    EXPECT_EQ(key({{"CAISSON_API_KEY", "csn_x"}}), "csn_x");
}

TEST_F(Access, SaysWhereAKeyCouldComeFrom)
{
    const auto access = resolve_access(options_, {}).value();
    EXPECT_TRUE(access.key.empty());
    EXPECT_THAT(access.key_hint, ::testing::HasSubstr("CAISSON_API_KEY"));
    EXPECT_THAT(access.key_hint, ::testing::HasSubstr((options_.data_dir / "admin.key").string()));
}

TEST_F(Access, RefusesOddAddresses)
{
    for (const auto* url : {"", "127.0.0.1:8320", "ftp://x", "http://", "http://x:99999"}) {
        options_.url = url;
        const auto access = resolve_access(options_, {});
        ASSERT_TRUE(access.has_error()) << url;
        EXPECT_EQ(access.error().code, errc::bad_request);
    }
}

TEST(Colours, OnlyOnATerminalThatWantsThem)
{
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal, 0);
    const unique_fd guard(terminal);
    EXPECT_TRUE(wants_colours(terminal, {{"TERM", "xterm"}}));
    EXPECT_TRUE(wants_colours(terminal, {{"NO_COLOR", ""}}));
    EXPECT_FALSE(wants_colours(terminal, {{"NO_COLOR", "1"}}));
    EXPECT_FALSE(wants_colours(terminal, {{"TERM", "dumb"}}));
    const unique_fd file(::open("/dev/null", O_WRONLY));
    EXPECT_FALSE(wants_colours(file.get(), {{"TERM", "xterm"}}));
}

struct pipe_pair {
    pipe_pair()
    {
        int ends[2];
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        read.reset(ends[0]);
        write.reset(ends[1]);
    }
    unique_fd read;
    unique_fd write;
};

TEST(DescriptorReader, ReadsUntilTheEnd)
{
    asio::io_context io;
    pipe_pair pipe;
    descriptor_reader reader(pipe.read.get());
    ASSERT_EQ(::write(pipe.write.get(), "abc", 3), 3);
    EXPECT_EQ(caisson::testing::run_task(io, reader.read()), "abc");
    pipe.write.reset();
    EXPECT_EQ(caisson::testing::run_task(io, reader.read()), "");
}

TEST(DescriptorReader, StopEndsAReadThatWaits)
{
    asio::io_context io;
    pipe_pair pipe;
    descriptor_reader reader(pipe.read.get());
    asio::post(io, [&reader] { reader.stop(); });
    EXPECT_EQ(caisson::testing::run_task(io, reader.read()), "");
}

TEST(DescriptorWriter, WritesAllAndNoticesAClosedPipe)
{
    std::signal(SIGPIPE, SIG_IGN);
    asio::io_context io;
    pipe_pair pipe;
    descriptor_writer writer(pipe.write.get());
    EXPECT_TRUE(caisson::testing::run_task(io, writer.write("abc")));
    char got[4] = {};
    EXPECT_EQ(::read(pipe.read.get(), got, 3), 3);
    EXPECT_STREQ(got, "abc");
    pipe.read.reset();
    EXPECT_FALSE(caisson::testing::run_task(io, writer.write("abc")));
}

}    // namespace
}    // namespace caisson::cli
