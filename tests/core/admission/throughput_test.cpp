#include "core/admission/throughput.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;

TEST(Throughput, IsUnknownBeforeTheFirstEnd) { EXPECT_FALSE(throughput().per_second(steady_time()).has_value()); }

TEST(Throughput, IsTheSteadyRate)
{
    for (const auto pause : {20ms, 100ms, 500ms}) {
        throughput rate;
        steady_time now;
        for (auto passed = 0ms; passed < 40s; passed += pause, now += pause)
            rate.count(now);
        EXPECT_NEAR(*rate.per_second(now) * static_cast<double>(pause.count()) / 1000, 1.0, 0.05) << pause.count();
    }
}

TEST(Throughput, OneEndIsNotThousandsASecond)
{
    throughput rate;
    rate.count(steady_time());
    EXPECT_NEAR(*rate.per_second(steady_time() + 1ms), 1.0, 0.05);
}

TEST(Throughput, FadesWhenNothingEnds)
{
    throughput rate;
    for (int i = 0; i < 100; ++i)
        rate.count(steady_time() + i * 100ms);
    const auto busy = *rate.per_second(steady_time() + 10s);
    const auto later = *rate.per_second(steady_time() + 100s);
    EXPECT_GT(busy, 9);
    EXPECT_LT(later, 0.5);
}

struct retry_case {
    std::string_view name;
    std::size_t turns;
    std::optional<double> per_second;
    std::chrono::seconds want;
};
void PrintTo(const retry_case& c, std::ostream* out) { *out << c.name; }
class RetryAfter : public ::testing::TestWithParam<retry_case> { };
TEST_P(RetryAfter, IsEstimatedAndBounded) { EXPECT_EQ(retry_after(GetParam().turns, GetParam().per_second), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, RetryAfter,
    ::testing::Values(retry_case{"nothing_known", 1'000, std::nullopt, 1s}, retry_case{"fast", 1, 100.0, 1s},
        retry_case{"slow", 1, 0.1, 10s}, retry_case{"several_turns", 40, 4.0, 10s}, retry_case{"rounded_up", 5, 2.0, 3s},
        retry_case{"never_more_than_a_minute", 10'000, 1.0, 60s}, retry_case{"nothing_ends", 1, 0.0, 60s},
        retry_case{"no_turn_counts_as_one", 0, 0.5, 2s}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
