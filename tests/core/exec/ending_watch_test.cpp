#include "core/exec/ending_watch.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace caisson {
namespace {

using namespace std::chrono_literals;
using advice = ending_watch::advice;

struct look {
    std::chrono::milliseconds after;    // the look before
    ends_left left;
    advice want;
};
struct watch_case {
    std::string_view name;
    end_bounds within;
    ends_left at_first;
    std::vector<look> looks;
};
void PrintTo(const watch_case& c, std::ostream* out) { *out << c.name; }

class EndingWatch : public ::testing::TestWithParam<watch_case> { };

TEST_P(EndingWatch, Advises)
{
    const auto& c = GetParam();
    steady_time now{};
    ending_watch watch(c.within, c.at_first, now);
    for (std::size_t i = 0; i < c.looks.size(); ++i) {
        now += c.looks[i].after;
        EXPECT_EQ(watch.look(c.looks[i].left, now), c.looks[i].want) << "at look " << i;
    }
}

constexpr end_bounds bounds{.stall = 30s, .whole = 60s};

INSTANTIATE_TEST_SUITE_P(Cases, EndingWatch,
    ::testing::Values(    //
        watch_case{"tells_once_in_5_s", bounds, {9, 0},
            {{4999ms, {9, 0}, advice::wait}, {1ms, {9, 0}, advice::tell}, {4999ms, {9, 0}, advice::wait}, {1ms, {9, 0}, advice::tell}}},
        watch_case{"gives_up_where_nothing_comes_further", bounds, {9, 0}, {{29s, {9, 0}, advice::tell}, {1s, {9, 0}, advice::give_up}}},
        watch_case{"an_end_in_the_record_is_a_step", bounds, {9, 0},
            {{29s, {8, 1}, advice::tell}, {29s, {8, 1}, advice::tell}, {1s, {8, 1}, advice::give_up}}},
        watch_case{"the_removal_of_a_sandbox_is_one", bounds, {0, 9}, {{29s, {0, 8}, advice::tell}, {29s, {0, 7}, advice::tell}}},
        watch_case{"more_of_them_is_none", bounds, {9, 0}, {{29s, {9, 9}, advice::tell}, {1s, {9, 0}, advice::give_up}}},
        watch_case{"the_whole_is_bounded_too", bounds, {9, 0},
            {{25s, {8, 0}, advice::tell}, {25s, {7, 0}, advice::tell}, {10s, {6, 0}, advice::give_up}}}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
