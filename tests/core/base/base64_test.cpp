#include "core/base/base64.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

struct vector_case {
    std::string_view name;
    std::string_view bytes;
    std::string_view standard;
    std::string_view url_safe;
};
class Base64Vectors : public ::testing::TestWithParam<vector_case> { };

TEST_P(Base64Vectors, EncodesAndDecodes)
{
    const auto& c = GetParam();
    EXPECT_EQ(base64_encode(c.bytes), c.standard);
    EXPECT_EQ(base64url_encode(c.bytes), c.url_safe);
    EXPECT_EQ(base64_decode(c.standard), c.bytes);
    EXPECT_EQ(base64url_decode(c.url_safe), c.bytes);
}
INSTANTIATE_TEST_SUITE_P(Rfc4648, Base64Vectors,
    ::testing::Values(vector_case{"empty", "", "", ""}, vector_case{"f", "f", "Zg==", "Zg"}, vector_case{"fo", "fo", "Zm8=", "Zm8"},
        vector_case{"foo", "foo", "Zm9v", "Zm9v"}, vector_case{"foob", "foob", "Zm9vYg==", "Zm9vYg"},
        vector_case{"fooba", "fooba", "Zm9vYmE=", "Zm9vYmE"}, vector_case{"foobar", "foobar", "Zm9vYmFy", "Zm9vYmFy"},
        vector_case{"the_two_last_digits", "\xfb\xff\xbf", "+/+/", "-_-_"}, vector_case{"all_ones", "\xff\xff\xff", "////", "____"},
        vector_case{"nul_bytes", std::string_view("\0\0", 2), "AAA=", "AAA"}),
    [](const auto& info) { return std::string(info.param.name); });

struct refused_case {
    std::string_view name;
    std::string_view text;
};
class Base64Refuses : public ::testing::TestWithParam<refused_case> { };

TEST_P(Base64Refuses, StandardText) { EXPECT_EQ(base64_decode(GetParam().text), std::nullopt); }
INSTANTIATE_TEST_SUITE_P(Cases, Base64Refuses,
    ::testing::Values(refused_case{"no_padding", "Zg"}, refused_case{"half_the_padding", "Zg="}, refused_case{"one_digit", "Z==="},
        refused_case{"only_padding", "===="}, refused_case{"padding_inside", "Zg==Zm9v"}, refused_case{"url_digit", "-_-_"},
        refused_case{"space", "Zm9 "}, refused_case{"line_break", "Zm9v\n"}, refused_case{"spare_bits_of_two_digits", "Zh=="},
        refused_case{"spare_bits_of_three_digits", "Zm9="}, refused_case{"not_ascii", "Zm9\xc3"}),
    [](const auto& info) { return std::string(info.param.name); });

class Base64UrlRefuses : public ::testing::TestWithParam<refused_case> { };

TEST_P(Base64UrlRefuses, Text) { EXPECT_EQ(base64url_decode(GetParam().text), std::nullopt); }
INSTANTIATE_TEST_SUITE_P(Cases, Base64UrlRefuses,
    ::testing::Values(refused_case{"one_digit", "Z"}, refused_case{"padding", "Zg=="}, refused_case{"standard_digit", "+/+/"},
        refused_case{"spare_bits", "Zh"}, refused_case{"nul", std::string_view("Zm\0v", 4)}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
