#include "core/base/clock.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

struct time_case {
    std::string_view name;
    std::int64_t unix_ms;
    std::string_view text;
};
class Rfc3339 : public ::testing::TestWithParam<time_case> { };

TEST_P(Rfc3339, IsWrittenAndRead)
{
    const auto& c = GetParam();
    EXPECT_EQ(to_rfc3339(c.unix_ms), c.text);
    EXPECT_EQ(from_rfc3339(c.text), c.unix_ms);
}
INSTANTIATE_TEST_SUITE_P(Cases, Rfc3339,
    ::testing::Values(time_case{"epoch", 0, "1970-01-01T00:00:00.000Z"}, time_case{"a_millisecond", 1, "1970-01-01T00:00:00.001Z"},
        time_case{"before_the_epoch", -1, "1969-12-31T23:59:59.999Z"}, time_case{"leap_day", 1'709'210'096'789, "2024-02-29T12:34:56.789Z"},
        time_case{"a_century_that_leaps", 951'782'400'000, "2000-02-29T00:00:00.000Z"},
        time_case{"past_32_bits", 4'102'444'800'000, "2100-01-01T00:00:00.000Z"},
        time_case{"the_last_year", 253'402'300'799'999, "9999-12-31T23:59:59.999Z"}),
    [](const auto& info) { return std::string(info.param.name); });

class Rfc3339Reads : public ::testing::TestWithParam<time_case> { };

TEST_P(Rfc3339Reads, OtherFormsOfATime) { EXPECT_EQ(from_rfc3339(GetParam().text), GetParam().unix_ms); }
INSTANTIATE_TEST_SUITE_P(Cases, Rfc3339Reads,
    ::testing::Values(time_case{"no_fraction", 1000, "1970-01-01T00:00:01Z"}, time_case{"one_digit", 1100, "1970-01-01T00:00:01.1Z"},
        time_case{"two_digits", 1120, "1970-01-01T00:00:01.12Z"}, time_case{"nanoseconds_are_cut", 1123, "1970-01-01T00:00:01.123999999Z"},
        time_case{"lower_case", 0, "1970-01-01t00:00:00z"}, time_case{"east", 0, "1970-01-01T02:30:00+02:30"},
        time_case{"west", 0, "1969-12-31T16:00:00-08:00"}, time_case{"unknown_offset", 0, "1970-01-01T00:00:00-00:00"},
        time_case{"leap_second", 1'483'228'800'000, "2016-12-31T23:59:60Z"}),
    [](const auto& info) { return std::string(info.param.name); });

struct refused_case {
    std::string_view name;
    std::string_view text;
};
class Rfc3339Refuses : public ::testing::TestWithParam<refused_case> { };

TEST_P(Rfc3339Refuses, Text) { EXPECT_EQ(from_rfc3339(GetParam().text), std::nullopt); }
INSTANTIATE_TEST_SUITE_P(Cases, Rfc3339Refuses,
    ::testing::Values(refused_case{"empty", ""}, refused_case{"a_date", "2024-01-01"}, refused_case{"no_zone", "2024-01-01T00:00:00"},
        refused_case{"a_space", "2024-01-01 00:00:00Z"}, refused_case{"unix_seconds", "1704067200"},
        refused_case{"no_such_day", "2023-02-29T00:00:00Z"}, refused_case{"month_13", "2024-13-01T00:00:00Z"},
        refused_case{"month_0", "2024-00-01T00:00:00Z"}, refused_case{"hour_24", "2024-01-01T24:00:00Z"},
        refused_case{"minute_60", "2024-01-01T00:60:00Z"}, refused_case{"second_61", "2024-01-01T00:00:61Z"},
        refused_case{"empty_fraction", "2024-01-01T00:00:00.Z"}, refused_case{"offset_hour_24", "2024-01-01T00:00:00+24:00"},
        refused_case{"offset_minute_60", "2024-01-01T00:00:00+00:60"}, refused_case{"offset_without_colon", "2024-01-01T00:00:00+0000"},
        refused_case{"short_year", "24-01-01T00:00:00Z"}, refused_case{"sign", "-024-01-01T00:00:00Z"},
        refused_case{"text_after", "2024-01-01T00:00:00Zulu"}, refused_case{"text_before", " 2024-01-01T00:00:00Z"},
        refused_case{"nul", std::string_view("2024-01-01T00:00:00Z\0", 21)}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SystemClock, IsTheHostsTime)
{
    const system_clock time;
    const auto before = std::chrono::steady_clock::now();
    const auto between = time.steady_now();
    EXPECT_LE(before, between);
    EXPECT_LE(between, std::chrono::steady_clock::now());
    EXPECT_GT(time.now_ms(), 1'700'000'000'000);
}

}    // namespace
}    // namespace caisson
