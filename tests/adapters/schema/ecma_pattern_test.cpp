#include "adapters/schema/ecma_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <re2/re2.h>

namespace caisson {

namespace {

struct pattern_case {
    std::string_view name;
    std::string_view pattern;
    std::string_view matches;    // a text that it matches
    std::string_view other;      // one that it does not match
};
void PrintTo(const pattern_case& c, std::ostream* out) { *out << c.name; }

class EcmaPattern : public ::testing::TestWithParam<pattern_case> { };

bool matches(std::string_view pattern, std::string_view text)
{
    const auto translated = re2_from_ecma(pattern);
    EXPECT_EQ(translated.fault, "");
    const RE2 program(translated.text, RE2::Quiet);
    EXPECT_TRUE(program.ok()) << translated.text << ": " << program.error();
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), program);
}

TEST_P(EcmaPattern, MeansWhatItMeansInEcma)
{
    EXPECT_TRUE(matches(GetParam().pattern, GetParam().matches));
    EXPECT_FALSE(matches(GetParam().pattern, GetParam().other));
}

INSTANTIATE_TEST_SUITE_P(Cases, EcmaPattern,
    ::testing::Values(pattern_case{"named_group", "^(?<year>[0-9]{4})$", "2026", "26"}, pattern_case{"digits", R"(^\d+$)", "12", "x"},
        pattern_case{"space_of_unicode", R"(^\s$)", "\u00a0", "x"}, pattern_case{"vertical_tab", R"(^\s$)", "\v", "x"},
        pattern_case{"no_space", R"(^\S$)", "x", "\u2003"}, pattern_case{"space_in_a_class", R"(^[\sx]$)", "\u3000", "y"},
        pattern_case{"four_digits", R"(^\u00e9$)", "é", "e"}, pattern_case{"braces", R"(^\u{1f600}$)", "😀", "x"},
        pattern_case{"surrogates", R"(^\ud83d\ude00$)", "😀", "x"}, pattern_case{"hexadecimal", R"(^\x41$)", "A", "x"},
        pattern_case{"control", R"(^\cJ$)", "\n", "J"}, pattern_case{"nul", R"(^a\0$)", std::string_view("a\0", 2), "a0"},
        pattern_case{"slash", R"(^a\/b$)", "a/b", "a\\/b"}, pattern_case{"dash", R"(^[a\-z]$)", "-", "b"},
        pattern_case{"dot", R"(^\.$)", ".", "x"}, pattern_case{"bracket_in_a_class", "^[[]$", "[", "x"},
        pattern_case{"posix_is_text", "^[[:a]$", ":", "b"}, pattern_case{"backspace", R"(^[\b]$)", "\b", "b"},
        pattern_case{"anything", "^[^]$", "\n", ""}, pattern_case{"script", R"(^\p{Script=Greek}+$)", "αβγ", "abc"},
        pattern_case{"script_short", R"(^\p{sc=Greek}$)", "α", "a"}, pattern_case{"category", R"(^\p{Letter}$)", "é", "1"},
        pattern_case{"category_short", R"(^\p{L}$)", "é", "1"}, pattern_case{"no_category", R"(^\P{gc=Lu}$)", "a", "A"},
        pattern_case{"end", "a$", "a", "a\n"}),
    [](const auto& info) { return std::string(info.param.name); });

struct fault_case {
    std::string_view name;
    std::string_view pattern;
    std::string_view fault;
};
void PrintTo(const fault_case& c, std::ostream* out) { *out << c.name; }

class EcmaPatternFault : public ::testing::TestWithParam<fault_case> { };

TEST_P(EcmaPatternFault, SaysWhatIsNotAvailable)
{
    EXPECT_THAT(re2_from_ecma(GetParam().pattern).fault, ::testing::HasSubstr(GetParam().fault));
}

INSTANTIATE_TEST_SUITE_P(Cases, EcmaPatternFault,
    ::testing::Values(fault_case{"look_ahead", "^(?=a)", "look-ahead"}, fault_case{"negative_look_ahead", "^(?!a)", "look-ahead"},
        fault_case{"look_behind", "(?<=a)b", "look-behind"}, fault_case{"negative_look_behind", "(?<!a)b", "look-behind"},
        fault_case{"back_reference", R"((a)\1)", "back-references"},
        fault_case{"named_back_reference", R"((?<x>a)\k<x>)", "back-references"}, fault_case{"short_escape", R"(\u12)", "hexadecimal"},
        fault_case{"end", "a\\", "backslash"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson
