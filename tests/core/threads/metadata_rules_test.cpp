#include "core/threads/metadata_rules.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

struct custom_case {
    const char* name;
    const char* custom;
    const char* member;
    const char* value;
    bool want;
};
class CustomHas : public ::testing::TestWithParam<custom_case> { };

TEST_P(CustomHas, TellsTheMember)
{
    const auto& c = GetParam();
    const auto wanted = condition_on(c.member, c.value);
    EXPECT_EQ(custom_has(c.custom, {&wanted, 1}), c.want);
}

constexpr custom_case custom_cases[] = {
    {"none", "", "a", "", false},
    {"empty", "{}", "a", "", false},
    {"text", R"({"a":"x","b":"y"})", "b", "y", true},
    {"other_text", R"({"a":"x","b":"y"})", "b", "x", false},
    {"escaped_text", R"({"a":"\"q\"\n"})", "a", "\"q\"\n", true},
    {"escaped_name", R"({"\"q\"":1})", "\"q\"", "1", true},
    {"number_as_it_is_written", R"({"n":1.50})", "n", "1.50", true},
    {"number_of_the_same_value", R"({"n":1.50})", "n", "1.5", false},
    {"word", R"({"f":true})", "f", "true", true},
    {"word_as_text", R"({"f":"true"})", "f", "true", true},
    {"null", R"({"f":null})", "f", "null", true},
    {"list", R"({"l":[1]})", "l", "[1]", true},
    {"list_of_another_order", R"({"l":[1,2]})", "l", "[2,1]", false},
    {"object", R"({"o":{"k":1}})", "o", R"({"k":1})", true},
    {"object_in_another_form", R"({"o":{"a":2,"k":1}})", "o", R"( { "k": 1, "\u0061": 2 } )", true},
    {"another_object", R"({"o":{"k":1}})", "o", R"({"k":2})", false},
    {"object_that_is_no_JSON", R"({"o":{"k":1}})", "o", R"({"k":1)", false},
    {"empty_value_is_no_object", R"({"o":{}})", "o", "", false},
    {"object_as_text", R"({"o":"{\"k\":1}"})", "o", R"({"k":1})", true},
    {"no_such_member", R"({"a":1,"c":2})", "b", "1", false},
    {"behind_an_object", R"({"a":{"z":1},"z":2})", "z", "2", true},
};
INSTANTIATE_TEST_SUITE_P(
    Cases, CustomHas, ::testing::ValuesIn(custom_cases), [](const auto& info) { return std::string(info.param.name); });

TEST(CustomHasAll, EachConditionHasToBeMet)
{
    const auto custom = R"({"a":"x","b":2,"c":{"d":1}})";
    const auto has = [&custom](std::vector<custom_condition> wanted) { return custom_has(custom, wanted); };
    EXPECT_TRUE(has({}));
    EXPECT_TRUE(has({condition_on("c", R"({"d": 1})"), condition_on("a", "x"), condition_on("b", "2")}));
    EXPECT_FALSE(has({condition_on("a", "x"), condition_on("b", "3")}));
    EXPECT_FALSE(has({condition_on("a", "x"), condition_on("d", "1")}));
    EXPECT_TRUE(has({condition_on("a", "x"), condition_on("a", "x")}));
    EXPECT_FALSE(has({condition_on("a", "x"), condition_on("a", "y")}));
}

TEST(Metadata, AllOfAFilterHasToHold)
{
    const checkpoint_metadata metadata{3, "node", {"a", "b"}, R"({"k":"v"})"};
    EXPECT_TRUE(matches(metadata, {}));
    EXPECT_TRUE(matches(metadata, {3, "node", {"b", "a"}, {condition_on("k", "v")}}));
    EXPECT_FALSE(matches(metadata, {4, "node", {}, {}}));
    EXPECT_FALSE(matches(metadata, {3, "other", {}, {}}));
    EXPECT_FALSE(matches(metadata, {3, "node", {"a", "c"}, {}}));
    EXPECT_FALSE(matches(metadata, {3, "node", {"a"}, {condition_on("k", "w")}}));
    EXPECT_FALSE(matches({}, {0, std::nullopt, {}, {}}));
}

TEST(Metadata, ArtifactsAreReadBack)
{
    const std::vector<artifact_reference> all{
        {execution_id::from_trusted("exe_1"), "a\"b/c"}, {execution_id::from_trusted("exe_2"), "not utf-8: \xff"}};
    EXPECT_EQ(artifacts_from(artifacts_text(all)), all);
    EXPECT_EQ(artifacts_text({}), "");
    EXPECT_TRUE(artifacts_from("").empty());
}

TEST(Metadata, RequestsDifferByEachPart)
{
    checkpoint_row row;
    row.metadata.tags = {"a", "b"};
    row.metadata.node_id = "n";
    const auto text = request_text(row, "digest", std::nullopt);
    EXPECT_EQ(request_text(row, "digest", std::nullopt), text);
    EXPECT_NE(request_text(row, "other", std::nullopt), text);
    EXPECT_NE(request_text(row, "digest", checkpoint_id::from_trusted("p")), text);
    auto joined = row;
    joined.metadata.tags = {"a1:b"};
    EXPECT_NE(request_text(joined, "digest", std::nullopt), text);
    auto stepped = row;
    stepped.metadata.step = 0;
    EXPECT_NE(request_text(stepped, "digest", std::nullopt), text);
    auto named = row;
    named.references.execution = execution_id::from_trusted("exe_1");
    EXPECT_NE(request_text(named, "digest", std::nullopt), text);
    auto typed = row;
    typed.state.media_type = "a/b";
    EXPECT_NE(request_text(typed, "digest", std::nullopt), text);
}

}    // namespace

}    // namespace caisson
