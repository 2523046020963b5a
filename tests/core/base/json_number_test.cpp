#include "core/base/json_number.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

namespace caisson {

namespace {

struct number_case {
    std::string_view name;
    std::string_view text;
    std::optional<std::int64_t> want;
};
void PrintTo(const number_case& c, std::ostream* out) { *out << c.name; }

class WholeNumber : public ::testing::TestWithParam<number_case> { };

TEST_P(WholeNumber, IsWholeHoweverItIsWritten) { EXPECT_EQ(whole_number(boost::json::parse(GetParam().text)), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Cases, WholeNumber,
    ::testing::Values(number_case{"plain", "30000", 30000}, number_case{"with_a_point", "30000.0", 30000},
        number_case{"with_an_exponent", "3e4", 30000}, number_case{"with_both", "0.3E+5", 30000}, number_case{"minus_zero", "-0.0", 0},
        number_case{"negative", "-2.0", -2}, number_case{"fraction", "0.5", std::nullopt}, number_case{"huge", "1e300", std::nullopt},
        number_case{"largest", "9223372036854775807", 9223372036854775807}, number_case{"one_more", "9223372036854775808", std::nullopt},
        number_case{"one_more_with_a_point", "9223372036854775808.0", std::nullopt}, number_case{"text", "\"3\"", std::nullopt},
        number_case{"nothing", "null", std::nullopt}, number_case{"true", "true", std::nullopt}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson
