#include "app/logging/json_logger.hpp"

#include "core/base/utf8.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace caisson {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

boost::json::object parsed(const std::string& line)
{
    EXPECT_EQ(line.find('\n'), std::string::npos);
    return boost::json::parse(line).as_object();
}

TEST(LogLine, HasTimeLevelMessageAndFieldsInOrder)
{
    EXPECT_EQ(to_log_line(1'700'000'000'123, log_level::warning, "slow", {{"path", "/x"}, {"took_ms", 12}}),
        R"({"ts":"2023-11-14T22:13:20.123Z","level":"warning","msg":"slow","path":"/x","took_ms":12})");
}

struct level_case {
    log_level level;
    std::string_view name;
};
class LogLineLevel : public ::testing::TestWithParam<level_case> { };
TEST_P(LogLineLevel, IsNamed) { EXPECT_EQ(parsed(to_log_line(0, GetParam().level, "m", {})).at("level").as_string(), GetParam().name); }
INSTANTIATE_TEST_SUITE_P(All, LogLineLevel,
    ::testing::Values(level_case{log_level::debug, "debug"}, level_case{log_level::info, "info"}, level_case{log_level::warning, "warning"},
        level_case{log_level::error, "error"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LogLine, EscapesWhatWouldBreakTheLine)
{
    const auto line = parsed(to_log_line(0, log_level::info, "a\nb\"c", {{"k\n", "v\r\n"}}));
    EXPECT_EQ(line.at("msg").as_string(), "a\nb\"c");
    EXPECT_EQ(line.at("k\n").as_string(), "v\r\n");
}

TEST(LogLine, IsValidUtf8WhateverCame)
{
    const auto line = to_log_line(0, log_level::info, "\xFF\xFE", {{"bytes", "\xC3"}, {"nested", boost::json::object{{"x", "\xFF"}}}});
    EXPECT_TRUE(is_utf8(line));
    EXPECT_EQ(parsed(line).at("bytes").as_string(), "\xEF\xBF\xBD");
}

TEST(LogLine, ReservedNamesAreMovedAside)
{
    const auto line = parsed(to_log_line(0, log_level::info, "m", {{"msg", "x"}, {"ts", "y"}, {"level", "z"}}));
    EXPECT_EQ(line.at("msg").as_string(), "m");
    EXPECT_EQ(line.at("field_msg").as_string(), "x");
    EXPECT_EQ(line.at("field_ts").as_string(), "y");
    EXPECT_EQ(line.at("field_level").as_string(), "z");
}

TEST(LogLine, LongValuesAreCutAndSaySo)
{
    const auto line = parsed(to_log_line(
        0, log_level::info, std::string(5'000, 'm'), {{"v", std::string(10'000, 'x')}, {"list", boost::json::array(9'000, 1)}}));
    EXPECT_THAT(std::string(line.at("msg").as_string()), HasSubstr("(3976 more bytes)"));
    EXPECT_THAT(std::string(line.at("v").as_string()), HasSubstr("(5904 more bytes)"));
    EXPECT_LT(line.at("list").as_string().size(), max_log_value_bytes + 64);
}

TEST(LogLine, ACutDoesNotSplitACharacter)
{
    std::string text(max_log_value_bytes - 1, 'x');
    text += "é and more";
    EXPECT_THAT(
        std::string(parsed(to_log_line(0, log_level::info, "m", {{"v", text}})).at("v").as_string()), Not(HasSubstr("\xEF\xBF\xBD")));
}

class JsonLogger : public ::testing::Test {
protected:
    JsonLogger()
    {
        std::string name = ::testing::TempDir() + "caisson-log-XXXXXX";
        directory_ = ::mkdtemp(name.data());
        file_ = directory_ / "log";
    }
    ~JsonLogger() override { std::filesystem::remove_all(directory_); }

    std::vector<std::string> lines() const
    {
        std::ifstream in(file_);
        std::vector<std::string> all;
        for (std::string line; std::getline(in, line);)
            all.push_back(line);
        return all;
    }

    std::filesystem::path directory_;
    std::filesystem::path file_;
};

TEST_F(JsonLogger, WritesFromTheThresholdUpwards)
{
    const auto log = make_json_logger(log_level::warning, file_);
    log->debug("a");
    log->info("b");
    log->warning("c {} %s");
    log->error("d");
    const auto got = lines();
    ASSERT_EQ(got.size(), 2u);
    EXPECT_EQ(parsed(got[0]).at("msg").as_string(), "c {} %s");
    EXPECT_EQ(parsed(got[1]).at("level").as_string(), "error");
}

TEST_F(JsonLogger, AppendsToWhatIsThere)
{
    make_json_logger(log_level::info, file_)->info("first");
    make_json_logger(log_level::info, file_)->info("second");
    EXPECT_EQ(lines().size(), 2u);
}

TEST_F(JsonLogger, LinesOfThreadsStayWhole)
{
    constexpr int threads = 4;
    constexpr int each = 200;
    const auto log = make_json_logger(log_level::info, file_);
    std::vector<std::thread> writers;
    for (int t = 0; t < threads; ++t)
        writers.emplace_back([&log, t] {
            for (int i = 0; i < each; ++i)
                log->info("line", {{"thread", t}, {"text", std::string(500, 'x')}});
        });
    for (auto& writer : writers)
        writer.join();
    const auto got = lines();
    ASSERT_EQ(got.size(), static_cast<std::size_t>(threads * each));
    for (const auto& line : got)
        EXPECT_EQ(parsed(line).at("text").as_string().size(), 500u);
}

TEST_F(JsonLogger, WritesToAStream)
{
    std::FILE* const stream = std::fopen(file_.c_str(), "w");
    ASSERT_NE(stream, nullptr);
    make_json_logger(log_level::info, stream)->info("hello");
    EXPECT_EQ(lines().size(), 1u) << "flushed, though the stream is open";
    std::fclose(stream);
}

TEST_F(JsonLogger, AFullDiskDoesNotThrow)
{
    const auto log = make_json_logger(log_level::info, std::filesystem::path("/dev/full"));
    EXPECT_NO_THROW(log->info("lost", {{"text", std::string(100'000, 'x')}}));
}

TEST_F(JsonLogger, NamesThePathThatCannotBeOpened)
{
    try {
        make_json_logger(log_level::info, directory_ / "nowhere" / "log");
        FAIL();
    } catch (const std::runtime_error& failure) {
        EXPECT_THAT(failure.what(), HasSubstr("nowhere/log"));
    }
}

}    // namespace
}    // namespace caisson
