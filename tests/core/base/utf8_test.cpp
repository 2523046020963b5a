#include "core/base/utf8.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

/// `repaired` is what to_valid_utf8 makes of `bytes`, `tail` what incomplete_utf8_tail says. U+FFFD is written as "?" here.
struct utf8_case {
    std::string_view name;
    std::string_view bytes;
    std::string_view repaired;
    std::size_t tail;
};

std::string with_question_marks(std::string text)
{
    constexpr std::string_view replacement = "\xef\xbf\xbd";
    for (auto at = text.find(replacement); at != std::string::npos; at = text.find(replacement))
        text.replace(at, replacement.size(), "?");
    return text;
}

class Utf8 : public ::testing::TestWithParam<utf8_case> { };

TEST_P(Utf8, IsCheckedRepairedAndCut)
{
    const auto& c = GetParam();
    EXPECT_EQ(is_utf8(c.bytes), c.bytes == c.repaired);
    EXPECT_EQ(with_question_marks(to_valid_utf8(c.bytes)), c.repaired);
    EXPECT_TRUE(is_utf8(to_valid_utf8(c.bytes)));
    EXPECT_EQ(incomplete_utf8_tail(c.bytes), c.tail);
}

TEST_P(Utf8, IsFoundAfterLongAscii)
{
    // The fast path reads eight bytes at a time: try every alignment.
    const auto& c = GetParam();
    for (std::size_t before = 0; before < 17; ++before) {
        const auto bytes = std::string(before, 'a') + std::string(c.bytes) + "zzzzzzzzz";
        EXPECT_EQ(is_utf8(bytes), c.bytes == c.repaired) << before;
    }
}

using namespace std::string_view_literals;
INSTANTIATE_TEST_SUITE_P(Cases, Utf8,
    ::testing::Values(utf8_case{"empty", "", "", 0}, utf8_case{"ascii", "plain", "plain", 0}, utf8_case{"nul", "a\0b"sv, "a\0b"sv, 0},
        utf8_case{"two_bytes", "\xc3\xa9", "\xc3\xa9", 0}, utf8_case{"three_bytes", "\xe2\x82\xac", "\xe2\x82\xac", 0},
        utf8_case{"four_bytes", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 0}, utf8_case{"first_of_three", "\xe0\xa0\x80", "\xe0\xa0\x80", 0},
        utf8_case{"last_before_surrogates", "\xed\x9f\xbf", "\xed\x9f\xbf", 0},
        utf8_case{"after_surrogates", "\xee\x80\x80", "\xee\x80\x80", 0},
        utf8_case{"last_of_all", "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", 0}, utf8_case{"half_of_two", "a\xc3", "a?", 1},
        utf8_case{"one_of_three", "a\xe2", "a?", 1}, utf8_case{"two_of_three", "a\xe2\x82", "a?", 2},
        utf8_case{"three_of_four", "a\xf0\x9f\x98", "a?", 3}, utf8_case{"cut_then_ascii", "\xe2\x82z", "?z", 0},
        utf8_case{"lone_continuation", "\x80", "?", 0}, utf8_case{"four_continuations", "\x80\x80\x80\x80", "????", 0},
        utf8_case{"overlong_slash", "\xc0\xaf", "??", 0}, utf8_case{"overlong_of_three", "\xe0\x80\xaf", "???", 0},
        utf8_case{"overlong_of_four", "\xf0\x80\x80\xaf", "????", 0}, utf8_case{"surrogate", "\xed\xa0\x80", "???", 0},
        utf8_case{"surrogate_cut", "\xed\xa0", "??", 0}, utf8_case{"above_the_last", "\xf4\x90\x80\x80", "????", 0},
        utf8_case{"lead_of_five", "\xf8\x88\x80\x80\x80", "?????", 0}, utf8_case{"ff", "\xff", "?", 0},
        utf8_case{"lead_after_lead", "\xe2\xe2\x82", "??", 2}, utf8_case{"bad_after_lead", "\xe2\xff", "??", 0},
        utf8_case{"complete_then_cut", "\xc3\xa9\xf0\x9f", "\xc3\xa9?", 2}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
