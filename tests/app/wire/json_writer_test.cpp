#include "app/wire/json_writer.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <limits>

namespace caisson::wire {

namespace json = boost::json;

namespace {

std::string escaped(std::string_view text)
{
    std::string out;
    append_json_string(out, text);
    return out;
}

struct escape_case {
    std::string_view name;
    std::string_view text;
    std::string_view want;
};
class Escape : public ::testing::TestWithParam<escape_case> { };
TEST_P(Escape, WritesTheShortestForm) { EXPECT_EQ(escaped(GetParam().text), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, Escape,
    ::testing::Values(escape_case{"empty", "", R"("")"}, escape_case{"plain", "hello", R"("hello")"},
        escape_case{"quote", R"(a"b)", R"("a\"b")"}, escape_case{"backslash", R"(a\b)", R"("a\\b")"},
        escape_case{"line_feed", "a\nb\n", R"("a\nb\n")"}, escape_case{"return_and_tab", "\r\t", R"("\r\t")"},
        escape_case{"nul", std::string_view("\0", 1), R"("\u0000")"}, escape_case{"escape", "\x1b[0m", R"("\u001b[0m")"},
        escape_case{"unit_separator", "\x1f", R"("\u001f")"}, escape_case{"space_and_delete_are_plain", " \x7f", "\" \x7f\""},
        escape_case{"umlaut", "ä€😀", "\"ä€😀\""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(EscapeEverywhere, EachByteAtEachPlaceComesBack)
{
    for (int byte = 0; byte < 0x80; ++byte) {
        for (std::size_t place = 0; place < 20; ++place) {
            std::string text(20, 'x');
            text[place] = static_cast<char>(byte);
            ASSERT_EQ(json::parse(escaped(text)).as_string(), json::string_view(text)) << byte << " at " << place;
        }
    }
}

TEST(EscapeEverywhere, HighBytesDoNotHideWhatFollows)
{
    for (std::string_view text : {"ää\"ää\\ää\n", "€€€\"", "\"€€€€€€€€\x01", "😀😀\"😀😀"})
        EXPECT_EQ(json::parse(escaped(text)).as_string(), json::string_view(text));
}

struct decimal_case {
    std::string_view name;
    double value;
    std::string_view want;
};
class Decimal : public ::testing::TestWithParam<decimal_case> { };
TEST_P(Decimal, HasNoExponentAndAtMostThreeDecimals)
{
    std::string out;
    json_writer(out).decimal(GetParam().value);
    EXPECT_EQ(out, GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, Decimal,
    ::testing::Values(decimal_case{"zero", 0, "0"}, decimal_case{"half", 0.5, "0.5"}, decimal_case{"whole", 1'500, "1500"},
        decimal_case{"one_and_a_half", 1.5, "1.5"}, decimal_case{"rounded", 1.23456, "1.235"}, decimal_case{"tiny", 0.0001, "0"},
        decimal_case{"negative_tiny", -0.0001, "0"}, decimal_case{"negative", -2.25, "-2.25"}, decimal_case{"hundreds", 100, "100"},
        decimal_case{"large", 1e15, "1000000000000000"}, decimal_case{"infinite", std::numeric_limits<double>::infinity(), "null"},
        decimal_case{"not_a_number", std::numeric_limits<double>::quiet_NaN(), "null"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(JsonWriter, SetsCommas)
{
    std::string out;
    json_writer writer(out);
    writer.begin_object().key("a").begin_array().integer(1).text("[").boolean(false).begin_object().end_object().null().end_array();
    writer.key("b:").text("{").key("c").begin_array().end_array().key("d").unsigned_integer(UINT64_MAX).end_object();
    EXPECT_EQ(out, R"({"a":[1,"[",false,{},null],"b:":"{","c":[],"d":18446744073709551615})");
}

TEST(JsonWriter, WritesAnyValue)
{
    std::string out;
    json_writer(out).value(json::parse(R"({"a":[1,-2,1.5,1e3,true,null,"x\ny"],"b":{"c":{}},"d":[]})"));
    EXPECT_EQ(out, R"({"a":[1,-2,1.5,1000,true,null,"x\ny"],"b":{"c":{}},"d":[]})");
}

}    // namespace

}    // namespace caisson::wire
