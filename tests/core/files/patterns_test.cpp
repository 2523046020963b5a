#include "core/files/patterns.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

struct match_case {
    std::string_view name;
    std::string pattern;
    std::string path;
    bool takes;
};
void PrintTo(const match_case& c, std::ostream* out) { *out << c.name; }

class PathPatterns : public ::testing::TestWithParam<match_case> { };

TEST_P(PathPatterns, TakesWhatIsMeant)
{
    const auto& c = GetParam();
    ASSERT_EQ(pattern_problem(c.pattern), "");
    const std::vector<std::string> patterns{c.pattern};
    EXPECT_EQ(path_patterns(patterns).takes(c.path), c.takes);
}

INSTANTIATE_TEST_SUITE_P(Cases, PathPatterns,
    ::testing::Values(match_case{"the_very_file", "out.txt", "out.txt", true}, match_case{"another_file", "out.txt", "out.txt2", false},
        match_case{"a_file_of_a_directory", "out/a.txt", "out/a.txt", true}, match_case{"not_elsewhere", "a.txt", "out/a.txt", false},
        match_case{"star_in_a_name", "out/*.csv", "out/x.csv", true}, match_case{"star_takes_nothing_too", "a*b", "ab", true},
        match_case{"star_is_not_deep", "out/*.csv", "out/d/x.csv", false}, match_case{"star_takes_a_dot", "*", ".hidden", true},
        match_case{"two_stars_in_a_name", "a**b", "a-x-b", true}, match_case{"stars_that_overlap", "*ab*ab", "xabab", true},
        match_case{"stars_that_do_not_fit", "*ab*ab", "xab", false}, match_case{"mark_is_one_character", "?.txt", "a.txt", true},
        match_case{"mark_is_one_character_of_two_bytes", "?.txt", "ä.txt", true}, match_case{"mark_is_not_none", "a?.txt", "a.txt", false},
        match_case{"deep_takes_files_at_once", "out/**", "out/a", true},
        match_case{"deep_takes_files_far_below", "out/**", "out/a/b/c", true},
        match_case{"deep_does_not_take_the_word_itself", "out/**", "out", false},
        match_case{"deep_does_not_take_neighbours", "out/**", "outer/a", false}, match_case{"deep_in_front", "**/a.txt", "x/y/a.txt", true},
        match_case{"deep_in_front_over_nothing", "**/a.txt", "a.txt", true}, match_case{"deep_between", "a/**/z", "a/b/c/z", true},
        match_case{"deep_between_over_nothing", "a/**/z", "a/z", true}, match_case{"deep_between_and_no_end", "a/**/z", "a/b/y", false},
        match_case{"deep_twice", "**/b/**/d", "a/b/c/b/d", true}, match_case{"deep_again_and_again_is_deep", "**/**/**/a", "a", true},
        match_case{"a_slash_at_the_end_is_deep", "out/", "out/a/b", true},
        match_case{"dots_and_doubled_slashes_are_nothing", "./out//a", "out/a", true},
        match_case{"brackets_are_characters", "[ab]", "[ab]", true}, match_case{"brackets_are_no_class", "[ab]", "a", false}),
    [](const auto& info) { return std::string(info.param.name); });

struct problem_case {
    std::string_view name;
    std::string pattern;
    std::string_view says;
};
void PrintTo(const problem_case& c, std::ostream* out) { *out << c.name; }

class PatternProblem : public ::testing::TestWithParam<problem_case> { };

TEST_P(PatternProblem, IsToldInWords) { EXPECT_NE(pattern_problem(GetParam().pattern).find(GetParam().says), std::string::npos); }

INSTANTIATE_TEST_SUITE_P(Cases, PatternProblem,
    ::testing::Values(problem_case{"empty", "", "1 to 4096"}, problem_case{"long", std::string(4'097, 'a'), "1 to 4096"},
        problem_case{"absolute", "/etc/passwd", "relative"}, problem_case{"upwards", "../x", "\"..\""},
        problem_case{"upwards_in_between", "a/../../x", "\"..\""}, problem_case{"a_line_break", "a\nb", "control characters"},
        problem_case{"no_name_at_all", "./.", "must name files"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PathPatternsWalk, EntersOnlyWhereSomethingCanMatch)
{
    const std::vector<std::string> words{"out/*.csv", "deep/**"};
    const path_patterns patterns(words);
    const auto start = patterns.start();
    EXPECT_TRUE(patterns.enter(start, "elsewhere").empty());
    const auto out = patterns.enter(start, "out");
    EXPECT_TRUE(patterns.takes(out, "a.csv"));
    EXPECT_FALSE(patterns.takes(out, "a.txt"));
    EXPECT_TRUE(patterns.enter(out, "below").empty());
    const auto deep = patterns.enter(patterns.enter(start, "deep"), "er");
    EXPECT_TRUE(patterns.takes(deep, "anything"));
    EXPECT_TRUE(patterns.expects(start, "out"));
    EXPECT_FALSE(patterns.expects(start, "ou"));
}

TEST(PathPatternsWalk, WildcardsTakeTimeInProportion)
{
    std::string pattern;
    for (int i = 0; i < 1'000; ++i)
        pattern += "*a";
    EXPECT_FALSE(name_matches(pattern + "b", std::string(255, 'a')));
    std::string deep;
    for (int i = 0; i < 60; ++i)
        deep += "**/a/";
    const std::vector<std::string> patterns{deep + "b"};
    std::string path;
    for (int i = 0; i < 60; ++i)
        path += "a/";
    EXPECT_FALSE(path_patterns(patterns).takes(path + "c"));
}

}    // namespace
}    // namespace caisson
