#include "core/threads/json_number.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace caisson {

namespace {

struct number_case {
    std::string_view name;
    std::string a;
    std::string b;
    bool same;
};
void PrintTo(const number_case& one, std::ostream* out) { *out << one.name; }

class SameNumber : public ::testing::TestWithParam<number_case> { };

TEST_P(SameNumber, ComparesValuesExactly)
{
    const auto& c = GetParam();
    EXPECT_EQ(same_number(c.a, c.b), c.same);
    EXPECT_EQ(same_number(c.b, c.a), c.same);
}

INSTANTIATE_TEST_SUITE_P(Cases, SameNumber,
    ::testing::Values(number_case{"same_text", "1e5", "1e5", true}, number_case{"zeros", "0", "-0.000e7", true},
        number_case{"decimals", "1.10", "1.1", true}, number_case{"exponents", "110e-2", "1.1", true},
        number_case{"large_exponents", "1e400", "10E+399", true}, number_case{"hundred", "100", "1e2", true},
        number_case{"small", "0.001", "1e-3", true}, number_case{"beyond_2_53", "9007199254740993", "9007199254740992", false},
        number_case{"beyond_doubles", "0.10000000000000000001", "0.1", false}, number_case{"signs", "1", "-1", false},
        number_case{"magnitudes", "1", "10", false}, number_case{"infinite_as_doubles", "1e400", "1e401", false},
        number_case{"nothing_as_doubles", "1e-400", "0", false}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson
