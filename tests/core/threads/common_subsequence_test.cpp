#include "core/threads/common_subsequence.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <random>
#include <string>

namespace caisson {

namespace {

struct list_case {
    std::string_view name;
    std::string from;
    std::string to;
    std::string want;
    std::size_t max_steps = 1'000;
};
void PrintTo(const list_case& one, std::ostream* out) { *out << one.name; }

/// The common subsequence; "?" if it is none.
std::string common_of(std::string_view from, std::string_view to, std::size_t steps_left)
{
    const std::vector<std::uint32_t> a(from.begin(), from.end());
    const std::vector<std::uint32_t> b(to.begin(), to.end());
    std::string common;
    std::size_t from_at = 0;
    std::size_t to_at = 0;
    for (const auto& each : common_subsequence(a, b, steps_left)) {
        if (each.from < from_at || each.to < to_at || from.at(each.from) != to.at(each.to))
            return "?";
        common += from[each.from];
        from_at = each.from + 1;
        to_at = each.to + 1;
    }
    return common;
}

class CommonSubsequence : public ::testing::TestWithParam<list_case> { };

TEST_P(CommonSubsequence, IsALongestOne)
{
    const auto& c = GetParam();
    EXPECT_EQ(common_of(c.from, c.to, c.max_steps), c.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, CommonSubsequence,
    ::testing::Values(list_case{"nothing", "", "", ""}, list_case{"all", "abc", "abc", "abc"}, list_case{"none", "abc", "xyz", ""},
        list_case{"from_nothing", "", "abc", ""}, list_case{"to_nothing", "abc", "", ""}, list_case{"added_first", "abc", "xabc", "abc"},
        list_case{"added_last", "abc", "abcx", "abc"}, list_case{"added_between", "abc", "axbxc", "abc"},
        list_case{"removed_between", "axbxc", "abc", "abc"}, list_case{"changed", "abcde", "abxde", "abde"},
        list_case{"moved", "abcde", "bcdea", "bcde"}, list_case{"begin_and_end_overlap", "aaa", "aa", "aa"},
        list_case{"mixed", "xaybzc", "paqbrc", "abc"}, list_case{"window_that_moves", "abcdefgh", "cdefghij", "cdefgh"},
        list_case{"beyond_the_bound", "axbyc", "amboc", "", 8}, list_case{"no_steps_allowed", "axb", "ayb", "", 0},
        list_case{"few_steps_for_few_edits", std::string(500, 'a') + "b", "c" + std::string(500, 'a'), std::string(500, 'a'), 2'000}),
    [](const auto& info) { return std::string(info.param.name); });

/// By the definition.
std::size_t longest(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> length(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            length[i][j] = a[i - 1] == b[j - 1] ? length[i - 1][j - 1] + 1 : std::max(length[i - 1][j], length[i][j - 1]);
    return length[a.size()][b.size()];
}

TEST(CommonSubsequenceSteps, AreSubtracted)
{
    const std::vector<std::uint32_t> a{1, 2, 3, 4};
    const std::vector<std::uint32_t> b{2, 3, 4, 5};
    std::size_t steps_left = 12;
    EXPECT_EQ(common_subsequence(a, b, steps_left).size(), 3u);
    EXPECT_LT(steps_left, 6u) << "three of elements, five at least of paths";
    EXPECT_TRUE(common_subsequence(a, b, steps_left).empty());
    EXPECT_EQ(steps_left, 0u);
}

TEST(CommonSubsequenceOfAnyLists, IsAsLongAsItCanBe)
{
    std::mt19937 random(7);
    const auto list = [&] {
        std::string text(random() % 12, ' ');
        for (auto& each : text)
            each = static_cast<char>('a' + random() % 4);
        return text;
    };
    for (int i = 0; i < 3'000; ++i) {
        const auto from = list();
        const auto to = list();
        const auto common = common_of(from, to, 10'000);
        ASSERT_NE(common, "?") << from << " " << to;
        ASSERT_EQ(common.size(), longest(from, to)) << from << " " << to << " " << common;
    }
}

}    // namespace

}    // namespace caisson
