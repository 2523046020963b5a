#include "core/base/plain_json.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

namespace caisson {

namespace {

struct plain_case {
    std::string_view name;
    double number;
    std::string_view want;
};
void PrintTo(const plain_case& c, std::ostream* out) { *out << c.name; }

class PlainNumber : public ::testing::TestWithParam<plain_case> { };

TEST_P(PlainNumber, IsWrittenAsPeopleDo) { EXPECT_EQ(plain_number(GetParam().number), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Cases, PlainNumber,
    ::testing::Values(plain_case{"tenth", 0.1, "0.1"}, plain_case{"whole", 100, "100"}, plain_case{"zero", 0, "0"},
        plain_case{"minus_zero", -0.0, "0"}, plain_case{"negative", -2.5, "-2.5"}, plain_case{"mixed", 1234.5, "1234.5"},
        plain_case{"small", 1e-6, "0.000001"}, plain_case{"smaller", 1e-7, "1e-7"}, plain_case{"small_digits", 1.25e-7, "1.25e-7"},
        plain_case{"large", 1e20, "100000000000000000000"}, plain_case{"larger", 1e21, "1e+21"}, plain_case{"largest", 1.5e300, "1.5e+300"},
        plain_case{"third", 1.0 / 3, "0.3333333333333333"}, plain_case{"beyond_exact", 9007199254740993.0, "9007199254740992"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PlainJson, KeepsOrderAndText)
{
    const auto* text = R"({"b":[0.1,1e2,true,null,"a\"é"],"a":{},"c":18446744073709551615})";
    EXPECT_EQ(plain_json(boost::json::parse(text)), R"({"b":[0.1,100,true,null,"a\"é"],"a":{},"c":18446744073709551615})");
}

TEST(PlainJson, StopsSoonBehindTheLimit)
{
    const auto text = plain_json(boost::json::array(1'000, boost::json::value(1)), 10);
    EXPECT_GT(text.size(), 10U);
    EXPECT_LT(text.size(), 20U);
}

}    // namespace

}    // namespace caisson
