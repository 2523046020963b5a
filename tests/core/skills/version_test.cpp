#include "core/skills/version.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

struct version_case {
    std::string_view name;
    std::string text;
    bool good;
};
class ParseVersion : public ::testing::TestWithParam<version_case> { };

TEST_P(ParseVersion, TakesWhatTheReferenceTakes) { EXPECT_EQ(parse_version(GetParam().text).has_value(), GetParam().good); }

INSTANTIATE_TEST_SUITE_P(Cases, ParseVersion,
    ::testing::Values(version_case{"release", "1.2.3", true}, version_case{"zeros", "0.0.0", true},
        version_case{"leading_zeros", "01.002.3", true}, version_case{"pre_release", "1.0.0-rc.1", true},
        version_case{"letters", "1.0.0-Alpha9", true}, version_case{"two_parts", "1.0", false},
        version_case{"four_parts", "1.0.0.0", false}, version_case{"empty", "", false}, version_case{"v", "v1.0.0", false},
        version_case{"build", "1.0.0+5", false}, version_case{"second_hyphen", "1.0.0-rc-1", false},
        version_case{"empty_pre_release", "1.0.0-", false}, version_case{"empty_part", "1..0", false},
        version_case{"negative", "1.-1.0", false}, version_case{"space", "1.0.0 ", false}, version_case{"newline", "1.0.0\n", false},
        version_case{"word", "latest", false}, version_case{"eighteen_digits", "999999999999999999.0.0", true},
        version_case{"nineteen_digits", "1000000000000000000.0.0", false},
        version_case{"too_long", "1.0.0-" + std::string(60, 'a'), false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(VersionOrder, IsThatOfSemver)
{
    const std::vector<std::string> rising{"0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
        "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.1.0", "1.9.0", "1.10.0", "2.0.0-1", "2.0.0"};
    for (std::size_t i = 0; i < rising.size(); ++i)
        for (std::size_t j = 0; j < rising.size(); ++j)
            EXPECT_EQ(*parse_version(rising[i]) <=> *parse_version(rising[j]), i <=> j) << rising[i] << " and " << rising[j];
}

TEST(VersionOrder, DigitsOfAnyLengthCompareByValue)
{
    EXPECT_LT(*parse_version("1.0.0-9"), *parse_version("1.0.0-10000000000000000000000000"));
    EXPECT_EQ(*parse_version("1.0.0-007"), *parse_version("1.0.0-7"));
}

struct latest_case {
    std::string_view name;
    std::vector<std::string> versions;
    std::optional<std::size_t> want;
};
class Latest : public ::testing::TestWithParam<latest_case> { };

TEST_P(Latest, IsTheHighestRelease) { EXPECT_EQ(latest_of(GetParam().versions), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Cases, Latest,
    ::testing::Values(latest_case{"none", {}, std::nullopt}, latest_case{"one", {"1.0.0"}, 0},
        latest_case{"by_number_not_text", {"1.9.0", "1.10.0", "1.2.0"}, 1},
        latest_case{"pre_release_is_passed_over", {"2.0.0-rc.1", "1.0.0"}, 1}, latest_case{"release_first", {"1.0.0", "2.0.0-rc.1"}, 0},
        latest_case{"pre_releases_only", {"1.0.0-a", "1.0.0-b", "0.9.0-z"}, 1}, latest_case{"not_the_newest", {"2.0.0", "1.0.0"}, 0},
        latest_case{"unreadable", {"latest", "x", "0.0.1"}, 2}, latest_case{"nothing_readable", {"x"}, std::nullopt},
        latest_case{"equal_ones", {"1.0.0", "01.0.0"}, 0}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
