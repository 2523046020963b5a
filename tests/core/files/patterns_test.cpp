#include "core/files/patterns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <random>

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

/// What the patterns mean, name by name, in time that grows as it likes.
bool name_is_meant(std::string_view pattern, std::string_view name)
{
    if (pattern.empty())
        return name.empty();
    if (pattern.front() == '*')
        return name_is_meant(pattern.substr(1), name) || (!name.empty() && name_is_meant(pattern, name.substr(1)));
    if (name.empty())
        return false;
    if (pattern.front() == '?' && (name.front() & 0x80) != 0)    // the tests' characters of more than one byte have two
        return name.size() > 1 && (name.front() & 0x40) != 0 && name_is_meant(pattern.substr(1), name.substr(2));
    return (pattern.front() == '?' || pattern.front() == name.front()) && name_is_meant(pattern.substr(1), name.substr(1));
}

bool has_slash(std::string_view text) { return text.find('/') != std::string_view::npos; }

bool is_meant(std::string_view pattern, std::string_view path)
{
    const auto rest_of = [](std::string_view text) { return has_slash(text) ? text.substr(text.find('/') + 1) : std::string_view(); };
    const auto first = pattern.substr(0, pattern.find('/'));
    const auto name = path.substr(0, path.find('/'));
    const bool last = !has_slash(pattern);
    if (first == "**")
        return last || is_meant(rest_of(pattern), path) || (has_slash(path) && is_meant(pattern, rest_of(path)));
    if (last || !has_slash(path))
        return last && !has_slash(path) && name_is_meant(first, name);
    return name_is_meant(first, name) && is_meant(rest_of(pattern), rest_of(path));
}

class random_words {
public:
    explicit random_words(std::uint32_t seed) : random_(seed) { }

    std::string path() { return some({"a", "b", "ab", "\xc3\xa4", "aa", "b\xc3\xa4", "a.b", "aab"}, 1 + random_() % 5); }
    std::string pattern()
    {
        return some({"a", "b", "*", "?", "**", "a*", "*b", "?*", "a?", "*a*b", "??", "b\xc3\xa4", "*?", "\xc3\xa4", "***a", "**"},
            1 + random_() % 5);
    }

private:
    std::string some(std::initializer_list<std::string_view> from, std::size_t count)
    {
        std::string out;
        for (std::size_t i = 0; i < count; ++i)
            out.append(i == 0 ? "" : "/").append(from.begin()[random_() % from.size()]);
        return out;
    }
    std::mt19937 random_;
};

TEST(PathPatternsWalk, SeveralPatternsTakeWhatOneOfThemMeans)
{
    random_words random(23);
    for (int round = 0; round < 2'000; ++round) {
        std::vector<std::string> words;
        for (int i = 0; i < 1 + round % 40; ++i)    // more than 64 states, too
            words.push_back(random.pattern());
        const path_patterns patterns(words);
        for (int i = 0; i < 20; ++i) {
            const auto path = random.path();
            const bool wanted = std::ranges::any_of(words, [&](const auto& each) { return is_meant(each, path); });
            ASSERT_EQ(patterns.takes(path), wanted) << ::testing::PrintToString(words) << ' ' << path;
        }
    }
}

TEST(PathPatternsWalk, AnEnteredDirectoryIsAsGoodAsThePath)
{
    random_words random(24);
    for (int round = 0; round < 2'000; ++round) {
        const std::vector<std::string> words{random.pattern(), random.pattern(), random.pattern()};
        const path_patterns patterns(words);
        const auto path = random.path();
        auto at = patterns.start();
        std::string_view rest = path;
        for (auto slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
            at = patterns.enter(at, rest.substr(0, slash));
            rest.remove_prefix(slash + 1);
        }
        ASSERT_EQ(patterns.takes(at, rest), patterns.takes(path)) << ::testing::PrintToString(words) << ' ' << path;
    }
}

TEST(PathPatternsWalk, WhatIsExpectedStandsWhereTheWalkIs)
{
    const std::vector<std::string> words{"**/a/b", "c/*", "*"};
    const path_patterns patterns(words);
    EXPECT_TRUE(patterns.expects(patterns.start(), "a"));
    EXPECT_TRUE(patterns.expects(patterns.start(), "c"));
    EXPECT_FALSE(patterns.expects(patterns.start(), "b"));
    EXPECT_TRUE(patterns.expects(patterns.enter(patterns.start(), "a"), "b"));
    EXPECT_FALSE(patterns.expects({}, "a"));
}

/// As many steps as bytes, and the states in words: nothing else that a request says counts.
TEST(PathPatternsWalk, TakesStepsInProportion)
{
    std::vector<std::string> words;
    for (std::size_t left = max_patterns_bytes; left > 80; left -= 80)
        words.push_back("**/" + std::string(77, words.size() % 2 == 0 ? '?' : '*'));
    const path_patterns patterns(words);
    EXPECT_LE(patterns.words(), 2 * max_patterns_bytes / 64);
    std::string path;
    while (path.size() < 4'000)
        path += "aaaa/";
    EXPECT_TRUE(patterns.takes(path + "aaaa"));
    const path_patterns none(std::vector<std::string>(max_patterns, "**/" + std::string(77, '?')));
    EXPECT_FALSE(none.takes(path + "aaaa"));
}

TEST(PathPatternsWalk, NoPatternTakesNothing)
{
    const path_patterns none(std::vector<std::string>{});
    EXPECT_TRUE(none.start().empty());
    EXPECT_TRUE(none.enter(none.start(), "a").empty());
    EXPECT_FALSE(none.takes("a"));
}

}    // namespace
}    // namespace caisson
