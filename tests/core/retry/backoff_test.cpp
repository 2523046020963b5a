#include "core/retry/backoff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace caisson {

namespace {

using namespace std::chrono_literals;

struct delay_case {
    std::string_view name;
    int retry;
    backoff how;
    double draw;
    std::chrono::milliseconds want;
};
void PrintTo(const delay_case& one, std::ostream* out) { *out << one.name; }

class BackoffDelay : public ::testing::TestWithParam<delay_case> { };
TEST_P(BackoffDelay, IsAPartOfWhatGrowsUpToTheCap)
{
    const auto& one = GetParam();
    EXPECT_EQ(delay_before(one.retry, one.how, one.draw), one.want);
}
constexpr backoff doubling{100ms, 2, 1s};
INSTANTIATE_TEST_SUITE_P(Cases, BackoffDelay,
    ::testing::Values(delay_case{"first", 1, doubling, 1, 100ms}, delay_case{"second", 2, doubling, 1, 200ms},
        delay_case{"fourth", 4, doubling, 1, 800ms}, delay_case{"capped", 5, doubling, 1, 1s},
        delay_case{"far_beyond_the_cap", 1'000'000, doubling, 1, 1s}, delay_case{"no_jitter_drawn", 3, doubling, 0, 0ms},
        delay_case{"a_quarter_drawn", 3, doubling, 0.25, 100ms}, delay_case{"rounded", 1, {3ms, 2, 1s}, 0.5, 2ms},
        delay_case{"multiplier_of_one_stays", 9, {100ms, 1, 1s}, 1, 100ms},
        delay_case{"fraction_multiplies", 3, {100ms, 1.5, 1s}, 1, 225ms}, delay_case{"at_once", 7, {0ms, 10, 1s}, 1, 0ms},
        delay_case{"cap_below_the_first", 1, {500ms, 2, 100ms}, 1, 100ms}, delay_case{"cap_of_zero", 3, {500ms, 2, 0ms}, 1, 0ms},
        delay_case{"infinite_factor", 5'000, {1ms, 10, 600s}, 1, 600s}, delay_case{"draw_beyond_one", 1, doubling, 7, 100ms},
        delay_case{"draw_below_zero", 1, doubling, -1, 0ms}, delay_case{"retry_number_below_one", 0, doubling, 1, 100ms},
        delay_case{"multiplier_below_one", 3, {100ms, 0.5, 1s}, 1, 100ms}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Backoff, OfThePolicyThatHoldsByDefault)
{
    const auto how = backoff_of({});
    EXPECT_EQ(full_delay(1, how), 500ms);
    EXPECT_EQ(full_delay(2, how), 1s);
    EXPECT_EQ(full_delay(5, how), 8s);
    EXPECT_EQ(full_delay(6, how), 10s);
}

TEST(Jitter, IsBelowOneAndNotAlwaysTheSame)
{
    double least = 1;
    double most = 0;
    for (int i = 0; i < 1'000; ++i) {
        const auto draw = draw_jitter();
        ASSERT_TRUE(draw >= 0 && draw < 1) << draw;
        least = std::min(least, draw);
        most = std::max(most, draw);
    }
    EXPECT_LT(least, 0.1);
    EXPECT_GT(most, 0.9);
}

}    // namespace

}    // namespace caisson
