#include "adapters/schema/json_schema.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

std::string repeated(std::string_view text, int count)
{
    std::string all;
    for (int i = 0; i < count; ++i)
        all += text;
    return all;
}

struct match_case {
    std::string_view name;
    std::string_view schema;
    std::string json;
    std::string_view want;    // empty: it matches; else all mistakes, "; " between them
};
class JsonSchema : public ::testing::TestWithParam<match_case> { };

TEST_P(JsonSchema, TellsWhatDoesNotMatch)
{
    const auto& c = GetParam();
    const auto mistakes = check_json_schema(c.schema, c.json);
    ASSERT_TRUE(mistakes.has_value()) << mistakes.error().detail;
    std::string text;
    for (const auto& each : *mistakes)
        text += (text.empty() ? "" : "; ") + (each.field.empty() ? "/" : each.field) + ": " + each.message;
    EXPECT_EQ(text, c.want);
}

INSTANTIATE_TEST_SUITE_P(Values, JsonSchema,
    ::testing::Values(match_case{"anything", "{}", "[1]", ""}, match_case{"true_schema", "true", "1", ""},
        match_case{"false_schema", "false", "1", "/: nothing is allowed here"},
        match_case{"type", R"({"type":"string"})", "1", R"(/: must be "string", is integer)"},
        match_case{"types", R"({"type":["string","null"]})", "null", ""}, match_case{"whole_double", R"({"type":"integer"})", "2.0", ""},
        match_case{"fraction", R"({"type":"integer"})", "2.5", R"(/: must be "integer", is number)"},
        match_case{"integer_is_a_number", R"({"type":"number"})", "2", ""},
        match_case{"truth_is_no_number", R"({"type":"number"})", "true", R"(/: must be "number", is boolean)"},
        match_case{"enum", R"({"enum":["a",1]})", "1.0", ""},
        match_case{"not_in_enum", R"({"enum":["a",1]})", R"("b")", R"(/: must be one of ["a",1])"},
        match_case{"const_object", R"({"const":{"a":1,"b":[2]}})", R"({"b":[2.0],"a":1})", ""},
        match_case{"other_const", R"({"const":false})", "0", "/: must be false"},
        match_case{"reference_with_percent", R"({"$ref":"#/definitions/Box%3Cstring%3E","definitions":{"Box<string>":{"type":"string"}}})",
            R"("a")", ""},
        match_case{"reference_with_slash", R"({"$ref":"#/definitions/a~1b%25","definitions":{"a/b%":{"type":"string"}}})", R"("a")", ""},
        match_case{"named_group", R"({"pattern":"^(?<year>[0-9]{4})$"})", R"("26")", R"(/: must match the pattern "^(?<year>[0-9]{4})$")"},
        match_case{"plain_minimum", R"({"minimum":0.1})", "0", "/: must be at least 0.1"},
        match_case{"minimum", R"({"minimum":1})", "0.5", "/: must be at least 1"},
        match_case{"exclusive", R"({"exclusiveMinimum":1,"exclusiveMaximum":3})", "3", "/: must be less than 3"},
        match_case{"maximum_meets", R"({"maximum":3})", "3", ""}, match_case{"multiple", R"({"multipleOf":0.01})", "19.99", ""},
        match_case{"no_multiple", R"({"multipleOf":3})", "7", "/: must be a multiple of 3"},
        match_case{"huge_multiple", R"({"multipleOf":0.123456789})", "1e308", "/: must be a multiple of 0.123456789"},
        match_case{"length_in_characters", R"({"maxLength":2,"minLength":2})", R"("äö")", ""},
        match_case{"too_long", R"({"maxLength":1})", R"("ab")", "/: must have at most 1 characters"},
        match_case{"pattern_anywhere", R"({"pattern":"b+"})", R"("abc")", ""},
        match_case{"pattern", R"({"pattern":"^b\\d$"})", R"("bx")", R"(/: must match the pattern "^b\\d$")"},
        match_case{"pattern_unicode", R"({"pattern":"^\\u00e4$"})", R"("ä")", ""},
        match_case{"format_is_a_note", R"({"format":"email"})", R"("x")", ""}),
    [](const auto& info) { return std::string(info.param.name); });

constexpr std::string_view person = R"({"type":"object","required":["name","tags"],"additionalProperties":false,"properties":{
    "name":{"type":"string","minLength":1},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":3}}})";

INSTANTIATE_TEST_SUITE_P(Containers, JsonSchema,
    ::testing::Values(match_case{"good", person, R"({"name":"a","tags":["x"]})", ""},
        match_case{"all_mistakes", person, R"({"name":"","tags":[1,"a","a"],"a/b":1})",
            "/name: must have at least 1 characters; /tags/0: must be \"string\", is integer; /tags: must not have the same item twice; "
            "/a~1b: is not a known property"},
        match_case{"required", person, "{}", "/name: is required; /tags: is required"},
        match_case{"no_object", person, "[]", R"(/: must be "object", is array)"},
        match_case{"tuple", R"({"items":[{"type":"string"},{"type":"number"}],"additionalItems":false})", R"(["a",1,2])",
            "/2: nothing is allowed here"},
        match_case{"contains", R"({"contains":{"const":1}})", "[2]", "/: must have an item that matches \"contains\""},
        match_case{"counts", R"({"minItems":2})", "[1]", "/: must have at least 2 items"},
        match_case{"unique_numbers", R"({"uniqueItems":true})", "[1,1.0]", "/: must not have the same item twice"},
        match_case{"pattern_properties", R"({"patternProperties":{"^x":{"type":"number"}},"additionalProperties":{"type":"null"}})",
            R"({"xa":"s","b":1})", R"(/xa: must be "number", is string; /b: must be "null", is integer)"},
        match_case{"property_names", R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})", "/ab: has a name that is not allowed"},
        match_case{"properties_count", R"({"maxProperties":1})", R"({"a":1,"b":2})", "/: must have at most 1 properties"},
        match_case{"dependency", R"({"dependencies":{"a":["b"]}})", R"({"a":1})", R"(/b: is required beside "a")"},
        match_case{"schema_dependency", R"({"dependencies":{"a":{"required":["b"]}}})", R"({"a":1})", "/b: is required"},
        match_case{
            "escaped_place", R"({"properties":{"a~/b":{"type":"null"}}})", R"({"a~/b":1})", R"(/a~0~1b: must be "null", is integer)"}),
    [](const auto& info) { return std::string(info.param.name); });

std::string nested(std::size_t depth, const std::string& within = {}) { return std::string(depth, '[') + within + std::string(depth, ']'); }

/// Each level in an alternative.
constexpr std::string_view nested_lists = R"({"definitions":{"l":{"allOf":[{"type":"array"},{"items":{"$ref":"#/definitions/l"}}]}},
    "$ref":"#/definitions/l"})";

const std::string wrong_at_the_end = repeated("/0", 256) + R"(: must be "array", is integer)";

constexpr std::string_view tree = R"({"$ref":"#/definitions/node","definitions":{"node":{"type":"object","required":["v"],
    "properties":{"v":{"type":"integer"},"l":{"$ref":"#/definitions/node"},"r":{"$ref":"#/definitions/node"}}}}})";

INSTANTIATE_TEST_SUITE_P(Combined, JsonSchema,
    ::testing::Values(
        match_case{"all_of", R"({"allOf":[{"minimum":1},{"maximum":0}]})", "0.5", "/: must be at least 1; /: must be at most 0"},
        match_case{"any_of", R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1", "/: matches none of the 2 schemas of \"anyOf\""},
        match_case{"one_of", R"({"oneOf":[{"minimum":1},{"minimum":2}]})", "3", "/: must match exactly one schema of \"oneOf\", matches 2"},
        match_case{"not", R"({"not":{"type":"null"}})", "null", "/: matches the schema of \"not\""},
        match_case{"if_then", R"({"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":5}})", R"("a")",
            "/: must have at least 2 characters"},
        match_case{"if_else", R"({"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":5}})", "4", "/: must be at least 5"},
        match_case{"recursive", tree, R"({"v":1,"l":{"v":2,"r":{"v":"x"}}})", R"(/l/r/v: must be "integer", is string)"},
        match_case{"beside_a_reference", R"({"definitions":{"a":{}},"properties":{"x":{"$ref":"#/definitions/a","type":"null"}}})",
            R"({"x":1})", ""},
        match_case{"later_names_of_definitions", R"({"$defs":{"a":{"type":"null"}},"items":{"$ref":"#/$defs/a"}})", "[1]",
            R"(/0: must be "null", is integer)"},
        match_case{"reference_to_the_root", R"({"properties":{"a":{"$ref":"#"}},"additionalProperties":false})", R"({"a":{"b":1}})",
            "/a/b: is not a known property"},
        match_case{"no_json", "{}", "{", "/: the value is not JSON: incomplete JSON"},
        match_case{"deepest_value", nested_lists, nested(256), ""},
        match_case{"deepest_value_wrong", nested_lists, nested(256, "1"), wrong_at_the_end},
        match_case{"too_deep_a_value", "{}", nested(257), "/: the value is nested more than 256 levels"}),
    [](const auto& info) { return std::string(info.param.name); });

std::string many_patterns(int count)
{
    std::string text;
    for (int i = 0; i < count; ++i) {
        const auto number = std::to_string(i);
        text += (text.empty() ? "\"p" : ",\"p") + number + "\":{\"pattern\":\"^a" + number + "\"}";
    }
    return "{\"properties\":{" + text + "}}";
}

struct bad_case {
    std::string_view name;
    std::string schema;
    std::string_view want;    // the begin
    std::string json = "null";
};
class BadSchema : public ::testing::TestWithParam<bad_case> { };

TEST_P(BadSchema, IsRefused)
{
    const auto checked = check_json_schema(GetParam().schema, GetParam().json);
    ASSERT_TRUE(checked.has_error());
    EXPECT_EQ(checked.error().code, errc::bad_request);
    EXPECT_EQ(checked.error().detail.substr(0, GetParam().want.size()), GetParam().want) << checked.error().detail;
}

/// A schema whose alternatives double at each level.
std::string doubling(int levels)
{
    std::string text = R"({"definitions":{"d0":{"type":"null"})";
    for (int i = 1; i <= levels; ++i) {
        const auto below = R"({"$ref":"#/definitions/d)" + std::to_string(i - 1) + "\"}";
        text += ",\"d" + std::to_string(i) + R"(":{"allOf":[)" + below + "," + below + "]}";
    }
    return text + R"(},"$ref":"#/definitions/d)" + std::to_string(levels) + "\"}";
}

INSTANTIATE_TEST_SUITE_P(Cases, BadSchema,
    ::testing::Values(bad_case{"no_json", "{", "the schema is not JSON: "}, bad_case{"no_schema", "[]", "#: must be a schema"},
        bad_case{"type", R"({"type":"text"})", "#/type: must be null, boolean,"},
        bad_case{"types", R"({"type":[]})", "#/type: must be null, boolean,"},
        bad_case{"properties", R"({"properties":[]})", "#/properties: must be a map"},
        bad_case{"property", R"({"properties":{"a":1}})", "#/properties/a: must be a schema"},
        bad_case{"required", R"({"required":"a"})", "#/required: must be a list of texts"},
        bad_case{"all_of", R"({"allOf":[]})", "#/allOf: must be a list"},
        bad_case{"minimum", R"({"minimum":"1"})", "#/minimum: must be a number"},
        bad_case{"max_length", R"({"maxLength":-1})", "#/maxLength: must be a whole"},
        bad_case{"multiple", R"({"multipleOf":0})", "#/multipleOf: must be a number above 0"},
        bad_case{"draft_4", R"({"exclusiveMinimum":true})", "#/exclusiveMinimum: must be a number"},
        bad_case{"later_draft", R"({"prefixItems":[]})", "#/prefixItems: is not of draft 7"},
        bad_case{"enum", R"({"enum":[]})", "#/enum: must be a list"},
        bad_case{"dependencies", R"({"dependencies":{"a":[1]}})", "#/dependencies/a: must be a schema"},
        bad_case{"remote", R"({"$ref":"https://example.org/x.json"})", R"(#/$ref: "https://example.org/x.json" is not fetched)"},
        bad_case{"file", R"({"$ref":"/etc/passwd"})", R"(#/$ref: "/etc/passwd" is not fetched)"},
        bad_case{"percent", R"({"$ref":"#/definitions/x%2"})", R"(#/$ref: "#/definitions/x%2" has a % that two hexadecimal digits)"},
        bad_case{"look_ahead_is_named", R"x({"pattern":"^(?=a)"})x", R"x(#/pattern: the pattern "^(?=a)" cannot be used: look-ahead)x"},
        bad_case{"nowhere", R"({"$ref":"#/definitions/x"})", R"(#/$ref: "#/definitions/x" leads nowhere)"},
        bad_case{"to_no_schema", R"({"$ref":"#/title","title":"x"})", "#/title: must be a schema"},
        bad_case{"hidden_behind_a_reference", R"({"$ref":"#/x/y","x":{"y":{"type":"z"}}})", "#/x/y/type: must be null"},
        bad_case{"base", R"({"properties":{"a":{"$id":"b"}}})", "#/properties/a/$id: is taken at the top"},
        bad_case{"look_ahead", R"j({"pattern":"(?=a)"})j", R"j(#/pattern: the pattern "(?=a)" cannot be used)j"},
        bad_case{"back_reference", R"({"pattern":"(a)\\1"})", "#/pattern: the pattern"},
        bad_case{"long_pattern", R"({"pattern":")" + std::string(1'025, 'a') + "\"}", "#/pattern: a pattern has more than 1024 bytes"},
        bad_case{"big_pattern", R"({"pattern":"((a{1000}){1000}){1000}"})", "#/pattern: the pattern"},
        bad_case{"pattern_of_a_large_program", R"({"pattern":"^(?:[ab]?[ab]?[ab]?[ab]?){1000}$"})",
            "#/pattern: the pattern \"^(?:[ab]?[ab]?[ab]?[ab]?){1000}$\" is too large: it becomes a program of"},
        bad_case{"pattern_of_classes", R"j({"pattern":"\\p{L}{3}"})j", R"j(#/pattern: the pattern "\p{L}{3}" is too large)j"},
        bad_case{"many_patterns", many_patterns(51), "#/properties/p50/pattern: the schema has more than 50 different patterns"},
        bad_case{"long_reference", R"({"$ref":"#/)" + std::string(1'024, 'a') + "\"}", "#/$ref: a reference has more than 1024 bytes"},
        bad_case{"all_mistakes", R"({"type":"foo","required":"x","prefixItems":[],"properties":{"a":{"minimum":"1"},"b":7}})",
            "#/type: must be null, boolean, object, array, number, integer or string, or a list of them; #/required: must be a list of "
            "texts; #/prefixItems: is not of draft 7, the only one that is understood; #/properties/a/minimum: must be a number; "
            "#/properties/b: must be a schema"},
        bad_case{"too_deep", repeated(R"({"not":)", 65) + "{}" + std::string(65, '}'), "#/not/not"},
        bad_case{"too_long", std::string(300'000, ' '), "the schema has more than 262144 bytes"},
        bad_case{"endless", R"({"$ref":"#"})", "the schema refers to itself too deep"},
        bad_case{"endless_within", R"({"allOf":[{"$ref":"#"}]})", "the schema refers to itself too deep"},
        bad_case{"doubling", doubling(40), "the schema is too costly"},
        bad_case{"costly_enum", R"({"items":{"enum":[")" + std::string(100'000, 'a') + "\"]}}", "the schema is too costly",
            "[" + repeated("1,", 2'000) + "1]"}),
    [](const auto& info) { return std::string(info.param.name); });

/// A pattern that takes a backtracking engine for ever takes this one no time.
TEST(JsonSchema, PatternsTakeLinearTime)
{
    const auto text = "\"" + std::string(100'000, 'a') + "!\"";
    const auto mistakes = check_json_schema(R"({"pattern":"^(a+)+$"})", text);
    ASSERT_TRUE(mistakes.has_value());
    EXPECT_EQ(mistakes->size(), 1u);
}

TEST(JsonSchema, AtMostTwentyMistakesAreTold)
{
    const auto mistakes = check_json_schema(R"({"items":{"type":"null"}})", "[" + repeated("1,", 50) + "1]");
    ASSERT_TRUE(mistakes.has_value());
    EXPECT_EQ(mistakes->size(), 20u);
}

TEST(JsonSchema, AtMostTwentyMistakesInASchemaAreTold)
{
    const auto checked = check_json_schema(R"({"allOf":[)" + repeated("1,", 50) + "1]}", "null");
    ASSERT_TRUE(checked.has_error());
    EXPECT_TRUE(checked.error().detail.ends_with("#/allOf/19: must be a schema: a map, true or false; there may be more"))
        << checked.error().detail;
}

/// Names and places are not as long as who chose them wanted.
TEST(JsonSchema, LongPlacesAreCut)
{
    const auto key = std::string(63, 'k') + "äää";
    const auto mistakes = check_json_schema(R"({"additionalProperties":{"items":false}})", "{\"" + key + "\":[1]}");
    ASSERT_TRUE(mistakes.has_value());
    EXPECT_EQ(mistakes->front().field, "/" + std::string(63, 'k') + "…/0");
}

}    // namespace
}    // namespace caisson
