#include "core/languages/json_text.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

struct member_case {
    const char* name;
    const char* text;
    const char* found;
};

class JsonMember : public ::testing::TestWithParam<member_case> { };

TEST_P(JsonMember, IsFoundAsItStands) { EXPECT_EQ(json_member(GetParam().text, "input"), GetParam().found); }

INSTANTIATE_TEST_SUITE_P(Cases, JsonMember,
    ::testing::Values(member_case{"alone", R"({"input":1})", "1"}, member_case{"absent", R"({"other":1})", ""},
        member_case{"empty_object", " { } ", ""}, member_case{"no_text", "", ""},
        member_case{"between_others", R"({"a":[1,{"input":2}],"input" : {"x": [1, 2]} , "b":"}"})", R"({"x": [1, 2]})"},
        member_case{"number_as_written", R"({"input":12345678901234567890123.50})", "12345678901234567890123.50"},
        member_case{"text_with_brackets", R"({"a":"{\"input\":1,","input":"]}\"\\"})", R"("]}\"\\")"},
        member_case{"null", "{\n\t\"input\" :\tnull\n}", "null"}, member_case{"escaped_name", R"({"\u0069nput":true})", "true"},
        member_case{"another_escaped_name", R"({"\u0069nputs":true})", ""},
        member_case{"escaped_nul", R"({"input":"\u0000"})", R"("\u0000")"}),
    [](const auto& info) { return info.param.name; });

TEST(JsonProblem, NothingIsWrongWithAnyValue)
{
    for (const char* text : {"{}", " [1, 2.5e3, \"\\ud83d\\ude00\"] ", "\"\"", "true", "-0", "{\"a\":1,\"a\":2}"})
        EXPECT_EQ(json_problem(text), "") << text;
}

TEST(JsonElements, AreAsTheyStand)
{
    EXPECT_TRUE(json_elements(" [ ] ").empty());
    const std::vector<std::string_view> want{"1.0", R"({"a": [1, 2]})", R"("],\"")", "[[]]", "null"};
    EXPECT_EQ(json_elements(R"( [1.0 , {"a": [1, 2]},"],\"" ,[[]],null ])"), want);
}

}    // namespace

}    // namespace caisson
