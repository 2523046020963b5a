#include "tests/app/wire/wire_fixture.hpp"

#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

struct malformed_case {
    std::string_view name;
    std::string_view text;
    std::string_view want;    // after "bad_request: body is not valid JSON: "
};
class Malformed : public ::testing::TestWithParam<malformed_case> { };
TEST_P(Malformed, SaysWhatAndWhere)
{
    const auto parsed = parse_json_object(GetParam().text);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(told(parsed.error()), "bad_request: body is not valid JSON: " + std::string(GetParam().want));
}
INSTANTIATE_TEST_SUITE_P(Cases, Malformed,
    ::testing::Values(malformed_case{"empty", "", "it is empty at line 1, column 1"},
        malformed_case{"cut_off", "{\"a\":1", "it ends too early at line 1, column 7"},
        malformed_case{"open_string", "{\"a", "it ends too early at line 1, column 4"},
        malformed_case{"bare_word", "{\n  \"a\": yes\n}", "syntax error at line 2, column 8"},
        malformed_case{"trailing_comma", "{\"a\":1,}", "syntax error at line 1, column 8"},
        malformed_case{"comment", "{} // done", "something follows its end at line 1, column 4"},
        malformed_case{"two_values", "{} {}", "something follows its end at line 1, column 4"},
        malformed_case{"raw_newline", "{\"a\":\"\n\"}", "syntax error at line 1, column 7"},
        malformed_case{"nul", std::string_view("{\0}", 3), "syntax error at line 1, column 2"},
        malformed_case{"not_utf8", "{\"a\":\"\xff\"}", "it is not UTF-8 at line 1, column 7"},
        malformed_case{"cut_utf8", "{\"a\":\"\xc3\"}", "it is not UTF-8 at line 1, column 7"},
        malformed_case{"surrogate_in_utf8", "{\"a\":\"\xed\xa0\x80\"}", "it is not UTF-8 at line 1, column 7"},
        malformed_case{"given_twice", "{\"a\":1,\n\"a\":2}", "\"a\" is given twice at line 2, column 3"},
        malformed_case{"given_twice_escaped", "{\"a\":1,\"\\u0061\":2}", "\"a\" is given twice at line 1, column 15"},
        malformed_case{"given_twice_inside", "{\"x\":[{\"b\":{},\"b\":[]}]}", "\"b\" is given twice at line 1, column 17"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ParseJson, NamesMayRepeatInOtherObjects) { EXPECT_TRUE(parse_json_object(R"({"a":{"a":1},"b":{"a":1},"c":[{"a":1},{"a":1}]})")); }

TEST(ParseJson, ReadsAllKinds)
{
    const auto parsed = parse_json_object(
        " {\"s\":\"\\u00e4\\n\",\"i\":-1,\"u\":18446744073709551615,\"d\":1.5,\"b\":true,\"n\":null,\"a\":[1],\"o\":{}}\n");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->size(), 8u);
    EXPECT_EQ(parsed->at("s").as_string(), "ä\n");
    EXPECT_EQ(parsed->at("u").as_uint64(), UINT64_MAX);
}

TEST(ParseJson, OnlyAnObject)
{
    for (auto text : {"[]", "1", "\"{}\"", "null"}) {
        const auto parsed = parse_json_object(text);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(told(parsed.error()), "bad_request: body must be a JSON object");
    }
}

TEST(ParseJson, BoundsTheSize)
{
    json_bounds bounds;
    bounds.max_bytes = 8;
    EXPECT_TRUE(parse_json_object("{\"a\":10}", bounds));
    const auto parsed = parse_json_object("{\"a\":100}", bounds);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(told(parsed.error()), "too_large: body must be at most 8 bytes long");
}

TEST(ParseJson, BoundsTheDepth)
{
    const auto nested = [](int depth) { return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}"; };
    EXPECT_TRUE(parse_json_object(nested(31)));
    const auto parsed = parse_json_object(nested(32));
    ASSERT_FALSE(parsed);
    EXPECT_EQ(told(parsed.error()), "bad_request: body is not valid JSON: it is nested more than 32 levels at line 1, column 37");
    EXPECT_FALSE(parse_json_object(nested(1'000'000)));
}

TEST(ParseJson, BoundsTheNumberOfValues)
{
    json_bounds bounds;
    bounds.max_values = 4;
    EXPECT_TRUE(parse_json_object("{\"a\":[1,2]}", bounds));
    const auto parsed = parse_json_object("{\"a\":[1,2,3]}", bounds);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, errc::bad_request);
    EXPECT_NE(parsed.error().detail.find("it has more than 4 values"), std::string::npos);
}

TEST(ParseJson, LongStringsComeWhole)
{
    const std::string long_text(3'000'000, 'x');
    const auto parsed = parse_json_object("{\"" + long_text + "\":\"" + long_text + "\\n\"}");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->begin()->key().size(), long_text.size());
    EXPECT_EQ(parsed->begin()->value().as_string().size(), long_text.size() + 1);
}

}    // namespace

}    // namespace caisson::wire
