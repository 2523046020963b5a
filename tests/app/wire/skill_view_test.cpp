#include "app/wire/skill_view.hpp"

#include "app/wire/skill_query.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

namespace caisson::wire {
namespace {

skill_revision small_revision()
{
    skill_revision row;
    row.manifest.name = "s";
    row.manifest.version = "1.0.0";
    row.manifest.description = "d";
    row.manifest.lang = "bash";
    row.digest = "abc";
    row.size_bytes = 12;
    row.files = 2;
    row.format = "zip";
    row.uploaded_at_ms = 1'700'000'000'000;
    return row;
}

TEST(SkillView, ResourcesAreAlwaysThereAndWhatWasNotSaidIsNot)
{
    EXPECT_EQ(skill_json(small_revision()),
        R"({"name":"s","version":"1.0.0","description":"d","lang":"bash","mode":"executable","resources":{},"idempotent":false,)"
        R"("digest":"abc","size_bytes":12,"files":2,"format":"zip","uploaded_at":"2023-11-14T22:13:20.000Z","disabled":false})");
}

TEST(SkillView, AllThatAManifestSaysIsShown)
{
    auto row = small_revision();
    auto& said = row.manifest;
    said.image = "bash:5";
    said.instructions = "Use \"it\"\n";
    said.timeout_ms = 90'000;
    said.timeout_text = "90s";
    said.cpu_text = "0.5";
    said.memory_text = "64Mi";
    said.entrypoint = "main.sh";
    said.command = {"bash", "-e"};
    said.env = {{"A", "1"}};
    said.runtime = "bubblewrap";
    said.retry = retry_policy{3, 10, 1.5, 100, {attempt_fault::agent_lost}, {75}};
    said.idempotent = true;
    said.input_schema = R"({"type":"object"})";
    said.output_schema = "true";
    said.artifacts = {"*.png"};
    row.replaced_at_ms = 1'700'000'000'001;
    row.disabled = true;
    EXPECT_EQ(skill_json(row),
        R"({"name":"s","version":"1.0.0","description":"d","lang":"bash","mode":"executable","image":"bash:5","instructions":"Use \"it\"\n","timeout":"1m30s",)"
        R"("resources":{"cpu":"0.5","memory":"64Mi"},"entrypoint":"main.sh","command":["bash","-e"],"env":{"A":"1"},)"
        R"("runtime":"bubblewrap","retry":{"attempts":3,"first_delay_ms":10,"multiplier":1.5,"max_delay_ms":100,"on":["agent_lost"],)"
        R"("exit_codes":[75]},"idempotent":true,"inputs":{"type":"object"},"outputs":true,"artifacts":["*.png"],"digest":"abc",)"
        R"("size_bytes":12,"files":2,"format":"zip","uploaded_at":"2023-11-14T22:13:20.000Z","replaced_at":"2023-11-14T22:13:20.001Z",)"
        R"("disabled":true})");
}

TEST(SkillView, ListsAreBareArrays)
{
    EXPECT_EQ(skill_list_json({}), "[]");
    const std::vector<skill_version_row> rows{{"s", "1.0.0", "d", "bash", "abc", 1'700'000'000'000, false}};
    EXPECT_EQ(skill_list_json(rows),
        R"([{"name":"s","version":"1.0.0","description":"d","lang":"bash","digest":"abc","uploaded_at":"2023-11-14T22:13:20.000Z",)"
        R"("disabled":false}])");
}

TEST(SkillView, ASkillOfDisabledVersionsHasNoLatest)
{
    EXPECT_EQ(skill_summary_json({"s", "", {}}), R"({"name":"s","latest":null,"versions":[]})");
    EXPECT_EQ(skill_summary_json({"s", "1.0.0", {}}), R"({"name":"s","latest":"1.0.0","versions":[]})");
}

TEST(SkillQuery, SilentOnesAskForAll)
{
    const auto wanted = parse_skill_list_query({}).value();
    EXPECT_TRUE(wanted.text.empty() && wanted.name.empty() && !wanted.after);
    EXPECT_EQ(wanted.limit, 1'000u);
}

TEST(SkillQuery, CursorsComeBack)
{
    const skill_version_row last{"a name", "1.0.0", "", "", "", 0, false};
    const auto wanted = parse_skill_list_query({{"cursor", skill_list_cursor(last)}, {"limit", "3"}, {"q", "x"}, {"name", "y"}}).value();
    EXPECT_EQ(wanted.after, std::pair(std::string("a name"), std::string("1.0.0")));
    EXPECT_EQ(wanted.limit, 3u);
    EXPECT_EQ(wanted.text + wanted.name, "xy");
    const auto place = parse_revisions_query({{"cursor", revisions_cursor(small_revision())}}).value().after;
    EXPECT_EQ(place->version, "1.0.0");
    EXPECT_EQ(place->uploaded_at_ms, 1'700'000'000'000);
    EXPECT_EQ(place->digest, "abc");
}

struct bad_query {
    std::string_view name;
    query_parameters query;
    std::string_view field;
};
class BadSkillQuery : public ::testing::TestWithParam<bad_query> { };
TEST_P(BadSkillQuery, NamesTheParameter)
{
    const auto refused = parse_skill_list_query(GetParam().query);
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::bad_request);
    EXPECT_EQ(refused.error().fields.at(0).field, GetParam().field);
}
INSTANTIATE_TEST_SUITE_P(Cases, BadSkillQuery,
    ::testing::Values(bad_query{"limit_0", {{"limit", "0"}}, "limit"}, bad_query{"limit_1001", {{"limit", "1001"}}, "limit"},
        bad_query{"no_cursor", {{"cursor", "!"}}, "cursor"},
        bad_query{"a_place", {{"cursor", revisions_cursor(small_revision())}}, "cursor"},
        bad_query{"long_text", {{"q", std::string(257, 'x')}}, "q"}, bad_query{"unknown", {{"colour", "red"}}, "colour"},
        bad_query{"twice", {{"q", "a"}, {"q", "b"}}, "q"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::wire
