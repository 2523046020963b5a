// The field collect, the queries of artifacts' routes, and what is told of artifacts.

#include "app/wire/artifact_query.hpp"
#include "app/wire/artifact_view.hpp"
#include "app/wire/execution_view.hpp"
#include "tests/app/wire/wire_fixture.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

result<parsed_execution> parse(std::string_view collect)
{
    static const wire_fixture host;
    auto context = host.context();
    context.artifacts.max_files = 7;
    context.artifacts.max_depth = 3;
    return parse_execution_request(R"({"command":["true"],"collect":)" + std::string(collect) + "}", context);
}

TEST(CollectField, TakesPatternsWithTheServersLimits)
{
    const auto spec = parse(R"(["out/**", "a b/*.csv"])").value().spec.collect;
    EXPECT_THAT(spec.patterns, ElementsAre("out/**", "a b/*.csv"));
    EXPECT_EQ(spec.max_files, 7);
    EXPECT_EQ(spec.max_depth, 3);
    EXPECT_EQ(spec.max_bytes, 256 << 20);
    EXPECT_EQ(spec.output, "");
    EXPECT_TRUE(parse("[]").value().spec.collect.patterns.empty());
}

struct collect_case {
    std::string_view name;
    std::string json;
    std::string_view says;
};
void PrintTo(const collect_case& c, std::ostream* out) { *out << c.name; }

class CollectFieldWrong : public ::testing::TestWithParam<collect_case> { };

TEST_P(CollectFieldWrong, IsNamed) { EXPECT_THAT(told(parse(GetParam().json).error()), HasSubstr(GetParam().says)); }

std::string many_patterns()
{
    std::string out = "[";
    for (int i = 0; i <= 100; ++i)
        out += i == 0 ? "\"x\"" : ",\"x\"";
    return out + "]";
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectFieldWrong,
    ::testing::Values(collect_case{"no_array", R"("out")", "collect must be an array"},
        collect_case{"no_text", "[1]", "collect[0] must be"}, collect_case{"absolute", R"(["a","/etc/*"])", "collect[1] must be relative"},
        collect_case{"upwards", R"(["../x"])", "collect[0] must not hold \"..\""},
        collect_case{"empty", R"([""])", "collect[0] must be 1 to 4096"},
        collect_case{"too_long_together", R"([")" + std::string(4'096, 'a') + R"(",")" + std::string(4'096, 'b') + R"(","c"])",
            "collect must not have more than 8192 bytes in all its patterns together"},
        collect_case{"too_many", many_patterns(), "collect must not have more than 100 patterns"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ArtifactsQuery, PagesByCursor)
{
    EXPECT_EQ(parse_artifacts_query({}).value().limit, 50u);
    const auto query = parse_artifacts_query({{"cursor", artifact_cursor("out/ä b.txt")}, {"limit", "200"}});
    EXPECT_EQ(query.value().after, "out/ä b.txt");
    EXPECT_EQ(query.value().limit, 200u);
}

struct query_case {
    std::string_view name;
    std::function<error()> made;
    std::string_view says;
};
void PrintTo(const query_case& c, std::ostream* out) { *out << c.name; }

class ArtifactQueryWrong : public ::testing::TestWithParam<query_case> { };

TEST_P(ArtifactQueryWrong, IsNamed) { EXPECT_THAT(told(GetParam().made()), HasSubstr(GetParam().says)); }

INSTANTIATE_TEST_SUITE_P(Cases, ArtifactQueryWrong,
    ::testing::Values(
        query_case{"cursor", [] { return parse_artifacts_query({{"cursor", "xx"}}).error(); }, "is not a cursor of a list of artifacts"},
        query_case{"cursor_of_executions", [] { return parse_artifacts_query({{"cursor", "Mi54"}}).error(); }, "is not a cursor"},
        query_case{"limit", [] { return parse_artifacts_query({{"limit", "201"}}).error(); }, "between 1 and 200"},
        query_case{"signature_of_a_list", [] { return parse_artifacts_query({{"signature", "x"}}).error(); }, "signature is not a known"},
        query_case{"format", [] { return parse_files_query({{"format", "rar"}}).error(); }, "must be \"tar.gz\" or \"zip\""},
        query_case{"unknown", [] { return parse_artifact_query({{"download", "1"}}).error(); }, "download is not a known parameter"},
        query_case{"twice", [] { return parse_artifact_query({{"expires", "1"}, {"expires", "2"}}).error(); }, "expires is given twice"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(FilesQuery, TakesAFormatAndASignature)
{
    EXPECT_EQ(parse_files_query({}).value(), files_format::by_accept);
    EXPECT_EQ(parse_files_query({{"format", "zip"}}).value(), files_format::zip);
    EXPECT_EQ(parse_files_query({{"format", "tar.gz"}, {"tenant", "t"}, {"expires", "1"}, {"key", "1"}, {"signature", "s"}}).value(),
        files_format::tar_gz);
}

TEST(ArtifactView, TellsAllOfAnArtifact)
{
    artifact_row row;
    row.path = "out/\"ä\".txt";
    row.size_bytes = 5;
    row.sha256 = std::string(64, 'a');
    row.media_type = "text/plain";
    row.mode = 0751;
    row.partial = true;
    row.expires_at_ms = 1'000;
    const std::vector<artifact_item> items{{&row, "http://h/x?y=1&z=2", 2'000}};
    const auto json = boost::json::parse(artifact_list_json(items, "next"));
    const auto& item = json.at("items").as_array().at(0).as_object();
    EXPECT_EQ(item.at("path").as_string(), row.path);
    EXPECT_EQ(item.at("mode").as_string(), "0751");
    EXPECT_EQ(item.at("url").as_string(), "http://h/x?y=1&z=2");
    EXPECT_EQ(item.at("expires_at").as_string(), "1970-01-01T00:00:01.000Z");
    EXPECT_EQ(item.at("url_expires_at").as_string(), "1970-01-01T00:00:02.000Z");
    EXPECT_TRUE(item.at("partial").as_bool());
    EXPECT_EQ(json.at("next_cursor").as_string(), "next");
    EXPECT_TRUE(boost::json::parse(artifact_list_json({}, std::nullopt)).at("next_cursor").is_null());
}

TEST(ArtifactView, TheExecutionTellsWhatWasCollected)
{
    execution_row row;
    EXPECT_FALSE(boost::json::parse(execution_json(row)).as_object().contains("artifacts"));
    row.collected = collect_summary{2, 30, {{"a", "a FIFO"}}, 4, true, "the disk is full"};
    const files_view files{"http://h/files?signature=x", 0, {"b", "c"}};
    const auto json = boost::json::parse(execution_json(row, {.files = &files})).as_object();
    const auto& told_of = json.at("artifacts").as_object();
    EXPECT_EQ(told_of.at("files").as_int64(), 2);
    EXPECT_EQ(told_of.at("bytes").as_int64(), 30);
    EXPECT_EQ(told_of.at("skipped_files").as_int64(), 4);
    EXPECT_EQ(told_of.at("skipped").as_array().at(0).at("reason").as_string(), "a FIFO");
    EXPECT_EQ(told_of.at("error").as_string(), "the disk is full");
    EXPECT_TRUE(told_of.at("partial").as_bool());
    EXPECT_EQ(json.at("files_url").as_string(), files.url);
    EXPECT_EQ(json.at("files_list").as_array().size(), 2u);
    EXPECT_FALSE(boost::json::parse(execution_json(row)).as_object().contains("files_url"));
    const execution_item items[] = {{&row, nullptr}};
    const auto list = boost::json::parse(execution_list_json(items, std::nullopt));
    const auto& brief = list.at("items").at(0).at("artifacts").as_object();
    EXPECT_EQ(brief.at("skipped_files").as_int64(), 4);
    EXPECT_FALSE(brief.contains("skipped")) << "counted only";
}

}    // namespace

}    // namespace caisson::wire
