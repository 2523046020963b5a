#include "core/threads/state_text.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace caisson {

namespace {

using namespace std::string_literals;

std::string repeated(std::string_view text, int times)
{
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

struct form_case {
    std::string_view name;
    std::string text;
    std::string want;
};
void PrintTo(const form_case& one, std::ostream* out) { *out << one.name; }

class CanonicalForm : public ::testing::TestWithParam<form_case> { };

TEST_P(CanonicalForm, IsOneForEqualStates)
{
    const auto& c = GetParam();
    state_canonicalizer canonicalizer;
    const auto form = canonicalizer.canonical(c.text);
    ASSERT_TRUE(form.has_value()) << form.error().detail;
    const std::string once(*form);
    EXPECT_EQ(once, c.want);
    EXPECT_EQ(canonicalizer.canonical(once).value(), c.want);
}

INSTANTIATE_TEST_SUITE_P(Values, CanonicalForm,
    ::testing::Values(form_case{"empty_object", " { } ", "{}"}, form_case{"empty_list", "\n[\t]\r\n", "[]"},
        form_case{"null", "null", "null"}, form_case{"words", "[true , false,null]", "[true,false,null]"},
        form_case{"top_string", " \"a\" ", "\"a\""},
        form_case{"white_space", "{ \"a\" :\n[ 1 ,\t2 ] , \"b\":{ } }", R"({"a":[1,2],"b":{}})"},
        form_case{"members_by_name", R"({"b":1,"a":2,"ab":3,"B":4,"":5})", R"({"":5,"B":4,"a":2,"ab":3,"b":1})"},
        form_case{"members_at_all_depths", R"({"b":{"z":[{"y":1,"x":{"q":1,"p":2}}],"a":0},"a":{"d":1,"c":2}})",
            R"({"a":{"c":2,"d":1},"b":{"a":0,"z":[{"x":{"p":2,"q":1},"y":1}]}})"},
        form_case{"out_of_order_within_order", R"({"a":{"b":1,"a":2},"b":[{"d":{"f":1,"e":2}}]})",
            R"({"a":{"a":2,"b":1},"b":[{"d":{"e":2,"f":1}}]})"},
        form_case{"lists_keep_their_order", "[3,1,2]", "[3,1,2]"},
        form_case{
            "names_by_bytes", "{\"\xEF\xBF\xBD\":1,\"\xF0\x9F\x98\x80\":2,\"z\":3}", "{\"z\":3,\"\xEF\xBF\xBD\":1,\"\xF0\x9F\x98\x80\":2}"},
        form_case{"names_by_what_they_stand_for", R"({"A":1,"\u0000":2,"\"":3,"!":4})", R"({"\u0000":2,"!":4,"\"":3,"A":1})"},
        form_case{"names_that_begin_alike", R"({"a\u0001":1,"a":2,"a ":3})", R"({"a":2,"a\u0001":1,"a ":3})"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Numbers, CanonicalForm,
    ::testing::Values(form_case{"beyond_2_53", "[9007199254740993]", "[9007199254740993]"},
        form_case{"beyond_64_bits", "[-123456789012345678901234567890]", "[-123456789012345678901234567890]"},
        form_case{"beyond_doubles", "[1e400,-1E+400,1e-400]", "[1e400,-1E+400,1e-400]"}, form_case{"trailing_zero", "1.10", "1.10"},
        form_case{"minus_zero", "[-0,-0.0,0e0]", "[-0,-0.0,0e0]"}, form_case{"top", " 17 ", "17"},
        form_case{"precise", "0.1234567890123456789012345678901234567890", "0.1234567890123456789012345678901234567890"},
        form_case{"sixteen_digits", "[1234567890123456,12345678901234567.5,1234567890123456e1,0.00000000000000000001]",
            "[1234567890123456,12345678901234567.5,1234567890123456e1,0.00000000000000000001]"},
        form_case{"largest_exponent", "[1e2147483000]", "[1e2147483000]"}, form_case{"long", repeated("7", 5'000), repeated("7", 5'000)}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Strings, CanonicalForm,
    ::testing::Values(
        form_case{"shortest_escapes", R"("\u0008\u000c\u000A\u000d\u0009\u0022\u005c\u002f\/\u0041")", R"("\b\f\n\r\t\"\\//A")"},
        form_case{"lower_case_escapes", R"("\u001F\u000B")", R"("\u001f\u000b")"},
        form_case{"nul", R"(["\u0000","a\u0000b"])", R"(["\u0000","a\u0000b"])"},
        form_case{"delete_stands_as_it_is", "\"\\u007f\"", "\"\x7F\""}, form_case{"two_bytes", R"("\u00e9")", "\"\xC3\xA9\""},
        form_case{"pair", R"("\ud83d\ude00\uD83D\uDE00")", "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\""},
        form_case{"no_characters", R"("\ufffe\uffff")", "\"\xEF\xBF\xBE\xEF\xBF\xBF\""},
        form_case{"separators", "\"\xE2\x80\xA8\\u2029\"", "\"\xE2\x80\xA8\xE2\x80\xA9\""},
        form_case{"long_with_escapes", "\"" + repeated("0123456789abcdef\\n\\u00e9", 1'000) + "\"",
            "\"" + repeated("0123456789abcdef\\n\xC3\xA9", 1'000) + "\""},
        form_case{"escape_at_each_place_of_a_word", R"("\"a\"aa\"aaa\"aaaa\"aaaaa\"aaaaaa\"aaaaaaa\"aaaaaaaa\"")",
            R"("\"a\"aa\"aaa\"aaaa\"aaaaa\"aaaaaa\"aaaaaaa\"aaaaaaaa\"")"},
        form_case{"long_name", "{\"" + repeated("n\\t", 3'000) + "\":1}", "{\"" + repeated("n\\t", 3'000) + "\":1}"}),
    [](const auto& info) { return std::string(info.param.name); });

struct refusal_case {
    std::string_view name;
    std::string text;
    std::string want;
    errc code = errc::bad_request;
};
void PrintTo(const refusal_case& one, std::ostream* out) { *out << one.name; }

class RefusedState : public ::testing::TestWithParam<refusal_case> { };

TEST_P(RefusedState, IsToldWithItsPlace)
{
    const auto& c = GetParam();
    state_canonicalizer canonicalizer({.max_bytes = 2'000, .max_depth = 4});
    const auto form = canonicalizer.canonical(c.text);
    ASSERT_TRUE(form.has_error()) << *form;
    EXPECT_EQ(form.error().detail, c.want);
    EXPECT_EQ(form.error().code, c.code);
    EXPECT_EQ(canonicalizer.canonical("[1]").value(), "[1]");    // it is none the worse for it
}

INSTANTIATE_TEST_SUITE_P(Cases, RefusedState,
    ::testing::Values(refusal_case{"nothing", "", "is not valid JSON: it is empty"},
        refusal_case{"space_only", "  ", "is not valid JSON: it ends too early, at its top (byte 2)"},
        refusal_case{"same_name", R"({"a":1,"a":2})", R"(has the name "a" twice in one object, at its top (byte 12))"},
        refusal_case{
            "same_name_not_in_a_row", R"({"x":[0,{"b":1,"a":2,"b":3}]})", R"(has the name "b" twice in one object, at /x/1 (byte 26))"},
        refusal_case{"same_name_otherwise_written", R"({"a\u002f~":{"\u0061":1,"a":2}})",
            R"(has the name "a" twice in one object, at /a~1~0 (byte 29))"},
        refusal_case{"same_name_with_escapes", R"({"\n":1,"\u000a":2})", R"(has the name "\n" twice in one object, at its top (byte 18))"},
        refusal_case{"too_deep", R"({"a":[{"b":[0,[]]}]})", "is nested more than 4 levels deep, at /a/0/b/1 (byte 14)"},
        refusal_case{"too_large", "\"" + std::string(1'999, 'a') + "\"", "must be at most 2000 bytes long, not 2001", errc::too_large},
        refusal_case{"nan", R"({"a":NaN})", "has NaN, which is no number in JSON, at /a (byte 5)"},
        refusal_case{"small_nan", "[1,nan]", "has nan, which is no number in JSON, at /1 (byte 3)"},
        refusal_case{"infinity", "[Infinity]", "has Infinity, which is no number in JSON, at /0 (byte 1)"},
        refusal_case{"minus_infinity", R"({"a":{"b":[1,-Infinity]}})", "has Infinity, which is no number in JSON, at /a/b/1 (byte 14)"},
        refusal_case{"exponent", "[1e99999999999]", "has a number whose exponent is too large, at /0 (byte 12)"},
        refusal_case{"leading_zero", R"({"a":012})", "is not valid JSON: syntax error, at its top (byte 6)"},
        refusal_case{"no_digits", "[1.]", "is not valid JSON: syntax error, at /0 (byte 3)"},
        refusal_case{"hexadecimal", "[0x10]", "is not valid JSON: syntax error, at /1 (byte 2)"},
        refusal_case{"comma_too_many", "[1,]", "is not valid JSON: syntax error, at /1 (byte 3)"},
        refusal_case{"comment", "[1/**/]", "is not valid JSON: syntax error, at /1 (byte 2)"},
        refusal_case{"single_quotes", "{'a':1}", "is not valid JSON: syntax error, at its top (byte 1)"},
        refusal_case{"byte_order_mark", "\xEF\xBB\xBF{}", "is not valid JSON: syntax error, at its top (byte 0)"},
        refusal_case{"cut_off", R"({"a":[1,{"b)", "is not valid JSON: it ends too early, at /a/1 (byte 11)"},
        refusal_case{"cut_off_in_a_text", R"({"a":"x)", "is not valid JSON: it ends too early, at /a (byte 7)"},
        refusal_case{"more_behind", "{} {}", "is not valid JSON: something follows its end (byte 3)"},
        refusal_case{"nul_behind", "1\0"s, "is not valid JSON: something follows its end (byte 1)"},
        refusal_case{"raw_nul", "{\"k\":\"a\0b\"}"s, "is not valid JSON: syntax error, at /k (byte 7)"},
        refusal_case{"raw_newline", "[\"a\nb\"]", "is not valid JSON: syntax error, at /0 (byte 3)"},
        refusal_case{"bad_escape", R"(["\x41"])", "is not valid JSON: syntax error, at /0 (byte 3)"},
        refusal_case{"long_place", "{\"" + std::string(150, 'n') + "\":{\"" + std::string(150, 'm') + "\":?}}",
            "is not valid JSON: syntax error, at /" + std::string(99, 'n') + "…" + std::string(100, 'm') + " (byte 308)"}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Characters, RefusedState,
    ::testing::Values(refusal_case{"stray_byte", "[\"a\xFF\"]", "is not UTF-8, at /0 (byte 3)"},
        refusal_case{"overlong", "{\"a\":\"\xC0\xAF\"}", "is not UTF-8, at /a (byte 6)"},
        refusal_case{"surrogate_bytes", "[\"\xED\xA0\x80\"]", "is not UTF-8, at /0 (byte 2)"},
        refusal_case{"beyond_unicode", "[\"\xF4\x90\x80\x80\"]", "is not UTF-8, at /0 (byte 2)"},
        refusal_case{"half_a_character", "[\"\xE2\x82\"]", "is not UTF-8, at /0 (byte 2)"},
        refusal_case{"in_a_name", "{\"a\":1,\"b\x80\":2}", "is not UTF-8, at its top (byte 9)"},
        refusal_case{"outside_of_texts", "[1,\xC3\xA9]", "is not valid JSON: syntax error, at /1 (byte 3)"},
        refusal_case{"leading_half", R"(["\ud800"])", "has half of a surrogate pair in a string, at /0 (byte 8)"},
        refusal_case{"leading_half_before_a_text", R"(["\uD83Dx..........."])", "has half of a surrogate pair in a string, at /0 (byte 8)"},
        refusal_case{
            "leading_half_before_an_escape", R"(["\uD83D\n..........."])", "has half of a surrogate pair in a string, at /0 (byte 9)"},
        refusal_case{"two_leading_halves", R"(["\ud800\ud800"])", "has half of a surrogate pair in a string, at /0 (byte 10)"},
        refusal_case{"trailing_half", R"({"a":"\udc00"})", "has half of a surrogate pair in a string, at /a (byte 12)"},
        refusal_case{
            "trailing_half_in_a_long_text", R"({"a":"x\udc00..........."})", "has half of a surrogate pair in a string, at /a (byte 8)"},
        refusal_case{"half_in_a_name", R"({"a":{"\ud800":1}})", "has half of a surrogate pair in a string, at /a (byte 13)"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(StateCanonicalizer, TakesWhatIsJustWithinItsBounds)
{
    state_canonicalizer canonicalizer({.max_bytes = 256, .max_depth = 128});
    const auto deep = repeated("[", 128) + repeated("]", 128);
    EXPECT_EQ(canonicalizer.canonical(deep).value(), deep);
    EXPECT_EQ(canonicalizer.canonical(" " + deep).error().code, errc::too_large);
    EXPECT_EQ(state_canonicalizer().canonical(repeated("[", 129) + repeated("]", 129)).error().code, errc::bad_request);
}

TEST(StateCanonicalizer, OrdersObjectsInObjectsInOneGo)
{
    std::string text = "0";
    std::string want = "0";
    for (int i = 0; i < 128; ++i) {
        text = R"({"b":[],"c":1,"a":)" + text + "}";
        want = R"({"a":)" + want + R"(,"b":[],"c":1})";
    }
    state_canonicalizer canonicalizer({.max_bytes = 1 << 20, .max_depth = 129});
    EXPECT_EQ(canonicalizer.canonical(text).value(), want);
}

TEST(StateCanonicalizer, TakesManyMembers)
{
    std::string text = "{";
    std::string want = "{";
    for (int i = 0; i < 10'000; ++i) {
        text += (i == 0 ? "\"" : ",\"") + std::to_string(99'999 - i) + "\":" + std::to_string(i);
        want += (i == 0 ? "\"" : ",\"") + std::to_string(90'000 + i) + "\":" + std::to_string(9'999 - i);
    }
    EXPECT_EQ(state_canonicalizer().canonical(text + "}").value(), want + "}");
}

}    // namespace

}    // namespace caisson
