#include "core/log/events.hpp"

#include "core/base/base64.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

constexpr std::uint64_t largest = INT64_MAX;

struct cursor_case {
    std::string_view name;
    log_position position;
};
class Cursor : public ::testing::TestWithParam<cursor_case> { };
TEST_P(Cursor, ComesBack) { EXPECT_EQ(from_cursor(to_cursor(GetParam().position)), GetParam().position); }
INSTANTIATE_TEST_SUITE_P(Cases, Cursor,
    ::testing::Values(cursor_case{"beginning", {0, 0, 0}}, cursor_case{"one_of_each", {1, 2, 3}},
        cursor_case{"largest_control", {largest, 0, 0}}, cursor_case{"largest_stderr", {0, 0, largest}},
        cursor_case{"largest_sum", {1, largest - 3, 2}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CursorText, IsTheDocumentedForm) { EXPECT_EQ(base64url_decode(to_cursor({3, 10, 0})), "1.3.10.0"); }

TEST(CursorText, NothingAndZeroAreTheBeginning)
{
    EXPECT_EQ(from_cursor(""), log_position{});
    EXPECT_EQ(from_cursor("0"), log_position{});
}

struct bad_cursor_case {
    std::string_view name;
    std::string_view decoded;
};
class BadCursor : public ::testing::TestWithParam<bad_cursor_case> { };
TEST_P(BadCursor, IsNothing) { EXPECT_FALSE(from_cursor(base64url_encode(GetParam().decoded))); }
INSTANTIATE_TEST_SUITE_P(Cases, BadCursor,
    ::testing::Values(bad_cursor_case{"other_version", "2.1.2.3"}, bad_cursor_case{"version_only", "1"},
        bad_cursor_case{"two_numbers", "1.1.2"}, bad_cursor_case{"four_numbers", "1.1.2.3.4"}, bad_cursor_case{"empty_number", "1.1..3"},
        bad_cursor_case{"trailing_dot", "1.1.2.3."}, bad_cursor_case{"leading_zero", "1.01.2.3"}, bad_cursor_case{"plus", "1.+1.2.3"},
        bad_cursor_case{"minus", "1.-1.2.3"}, bad_cursor_case{"space", "1. 1.2.3"}, bad_cursor_case{"letters", "1.a.2.3"},
        bad_cursor_case{"too_large", "1.9223372036854775808.0.0"}, bad_cursor_case{"far_too_large", "1.99999999999999999999999.0.0"},
        bad_cursor_case{"sum_too_large", "1.9223372036854775807.1.0"},
        bad_cursor_case{"sum_of_three_too_large", "1.9223372036854775807.9223372036854775807.9223372036854775807"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BadCursorText, IsNothing)
{
    for (std::string_view text : {"1", "1.1.2.3", "!!!!", "00", "MS4wLjAuMA==", "MS4wLjAuMB"})
        EXPECT_FALSE(from_cursor(text)) << text;
    EXPECT_FALSE(from_cursor(std::string(1'000'000, 'A')));
}

TEST(LogEvent, OutputIsCoveredByItsStreamsOffset)
{
    log_event event;
    event.stream = output_stream::stderr_stream;
    event.offset = 5;
    event.end = {1, 100, 10};
    EXPECT_FALSE(event.covered_by({1, 100, 9}));
    EXPECT_TRUE(event.covered_by({0, 0, 10}));
}

TEST(LogEvent, OthersAreCoveredByTheirCount)
{
    log_event event;
    event.kind = event_kind::exit;
    event.end = {3, 7, 0};
    EXPECT_FALSE(event.covered_by({2, 7, 0}));
    EXPECT_TRUE(event.covered_by({3, 0, 0}));
}

}    // namespace

}    // namespace caisson
