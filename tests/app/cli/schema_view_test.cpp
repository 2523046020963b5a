#include "app/cli/schema_view.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

namespace caisson::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of_schema(std::string_view schema) { return schema_text("inputs", boost::json::parse(schema), false); }

TEST(SchemaText, AFlatObjectIsATable)
{
    EXPECT_EQ(text_of_schema(R"({"type":"object","required":["text"],"additionalProperties":false,"properties":{
                  "text":{"type":"string","description":"What is counted."},
                  "top_n":{"type":"integer","minimum":1,"default":10},
                  "how":{"type":["string","null"],"enum":["a","b"],"description":"A way."},
                  "tags":{"type":"array","items":{"type":"string"}}}})"),
        "inputs (nothing else)\n"
        "NAME   TYPE             REQUIRED  DESCRIPTION\n"
        "text   string           yes       What is counted.\n"
        "top_n  integer          no        minimum 1, default 10\n"
        "how    string|null      no        A way. (one of a, b)\n"
        "tags   array of string  no        \n");
}

struct more_case {
    std::string_view name;
    std::string_view schema;
};
class NotAllInATable : public ::testing::TestWithParam<more_case> { };

TEST_P(NotAllInATable, ComesAsJsonBelow)
{
    const auto text = text_of_schema(GetParam().schema);
    EXPECT_THAT(text, HasSubstr("NAME"));
    const auto json = text.substr(text.find('{'));
    EXPECT_EQ(boost::json::parse(json), boost::json::parse(GetParam().schema));
}

INSTANTIATE_TEST_SUITE_P(Cases, NotAllInATable,
    ::testing::Values(more_case{"one_of", R"({"properties":{"a":{"type":"string"}},"oneOf":[{"required":["a"]}]})"},
        more_case{"nested", R"({"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}})"},
        more_case{"items_with_more", R"({"properties":{"a":{"type":"array","items":{"type":"string","minLength":1}}}})"},
        more_case{"others_are_judged", R"({"properties":{"a":true},"additionalProperties":{"type":"string"}})"},
        more_case{"required_without_a_row", R"({"properties":{"a":{"type":"string"}},"required":["b"]})"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SchemaText, AnythingElseIsJson)
{
    EXPECT_EQ(text_of_schema(R"({"type":"array","items":{"type":"string"}})"), "inputs\n"
                                                                               "{\n"
                                                                               "  \"type\": \"array\",\n"
                                                                               "  \"items\": {\"type\":\"string\"}\n"
                                                                               "}\n");
    EXPECT_EQ(text_of_schema("true"), "inputs\ntrue\n");
}

TEST(SchemaText, SteersNoTerminal)
{
    const auto text =
        text_of_schema(R"({"properties":{"a\u001b[2J":{"type":"\u009b2J","description":"x\u001b]0;y\u0007"}},"allOf":["\u009b"]})");
    for (const auto* bad : {"\x1b", "\x07", "\xc2\x9b"})
        EXPECT_THAT(text, Not(HasSubstr(bad)));
}

}    // namespace
}    // namespace caisson::cli
