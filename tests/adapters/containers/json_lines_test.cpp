#include "adapters/engine/json_lines.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace caisson::docker {
namespace {

/// The objects of `pieces`, as text; the last entry begins with "error: " if there was one.
std::vector<std::string> cut(json_lines& by, const std::vector<std::string>& pieces)
{
    std::vector<std::string> out;
    for (const auto& piece : pieces) {
        std::string_view left = piece;
        while (true) {
            auto next = by.next(left);
            if (next.has_error()) {
                EXPECT_EQ(next.error().code, errc::runtime_unavailable);
                out.push_back("error: " + next.error().detail);
                return out;
            }
            if (!*next)
                break;
            out.push_back(boost::json::serialize(**next));
        }
        EXPECT_TRUE(left.empty());
    }
    return out;
}

const std::string sample = " {\"a\":1}\r\n{\"b\":\"}{\\\"\"}{\"c\":[{}]}\n\n{}";
const std::vector<std::string> of_sample = {R"({"a":1})", R"({"b":"}{\""})", R"({"c":[{}]})", "{}"};

TEST(JsonLines, ReadsObjectsWithAndWithoutLines)
{
    json_lines lines;
    EXPECT_EQ(cut(lines, {sample}), of_sample);
    EXPECT_TRUE(lines.between_objects());
}

TEST(JsonLines, ReadsObjectsCutInTwoAnywhere)
{
    for (std::size_t at = 0; at <= sample.size(); ++at) {
        json_lines lines;
        EXPECT_EQ(cut(lines, {sample.substr(0, at), sample.substr(at)}), of_sample) << at;
    }
}

TEST(JsonLines, ReadsObjectsByteByByte)
{
    std::vector<std::string> bytes;
    for (const char c : sample)
        bytes.emplace_back(1, c);
    json_lines lines;
    EXPECT_EQ(cut(lines, bytes), of_sample);
}

TEST(JsonLines, KnowWhetherAnObjectIsWhole)
{
    json_lines lines;
    EXPECT_TRUE(lines.between_objects());
    cut(lines, {"{\"a\""});
    EXPECT_FALSE(lines.between_objects());
    cut(lines, {":1}\n"});
    EXPECT_TRUE(lines.between_objects());
}

TEST(JsonLines, TakeObjectsUpToTheirBound)
{
    const auto object = [](std::size_t bytes) { return "{\"a\":\"" + std::string(bytes - 8, 'x') + "\"}"; };
    json_lines lines(300'000);
    EXPECT_EQ(cut(lines, {object(300'000), object(300'000)}).size(), 2u);
    const auto got = cut(lines, {object(300'001)});
    ASSERT_EQ(got.size(), 1u);
    EXPECT_NE(got[0].find("larger than 300000 bytes"), std::string::npos) << got[0];
}

TEST(JsonLines, RefuseAnObjectWithoutEndBeforeItIsHeld)
{
    json_lines lines;
    const std::string begun = "{\"a\":\"";
    const std::string more(100'000, 'x');
    std::vector<std::string> pieces(1000, more);
    pieces[0] = begun;
    std::size_t fed = 0;
    for (const auto& piece : pieces) {
        ++fed;
        std::string_view left = piece;
        if (lines.next(left).has_error())
            break;
    }
    EXPECT_LE(fed, json_lines::most_bytes / more.size() + 2);
}

struct no_object_case {
    std::string_view name;
    std::string bytes;
    std::string_view says;
};
class NoObject : public ::testing::TestWithParam<no_object_case> { };
TEST_P(NoObject, IsRefused)
{
    json_lines lines;
    const auto got = cut(lines, {"{}" + GetParam().bytes});
    ASSERT_EQ(got.size(), 2u);
    EXPECT_NE(got[1].find(GetParam().says), std::string::npos) << got[1];
}
INSTANTIATE_TEST_SUITE_P(All, NoObject,
    ::testing::Values(no_object_case{"number", "12\n", "an object was expected"}, no_object_case{"array", "[{}]", "an object was expected"},
        no_object_case{"html", "<html>", "an object was expected"}, no_object_case{"comma", ",{}", "an object was expected"},
        no_object_case{"broken", "{\"a\" 1}", "not understood"}, no_object_case{"control", "{\"a\n\":1}", "not understood"},
        no_object_case{"deep",
            [] {
                std::string out;
                for (int i = 0; i < 1000; ++i)
                    out += "{\"a\":";
                return out;
            }(),
            "not understood"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::docker
