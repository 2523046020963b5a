#include "core/skills/quantities.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;

struct number_case {
    std::string_view name;
    std::string_view text;
    std::int64_t want;
    std::string_view fault = "";
};
std::string name_of_case(const ::testing::TestParamInfo<number_case>& info) { return std::string(info.param.name); }

void expect_case(const number_case& c, const result<std::int64_t>& got)
{
    if (c.fault.empty()) {
        ASSERT_TRUE(got.has_value()) << got.error().detail;
        EXPECT_EQ(*got, c.want);
        return;
    }
    ASSERT_TRUE(got.has_error()) << *got;
    EXPECT_NE(got.error().detail.find(c.fault), std::string::npos) << got.error().detail;
}

class Memory : public ::testing::TestWithParam<number_case> { };
TEST_P(Memory, IsReadAsTheReferenceReadsIt) { expect_case(GetParam(), parse_memory(GetParam().text)); }
INSTANTIATE_TEST_SUITE_P(Cases, Memory,
    ::testing::Values(number_case{"mebi", "256Mi", 256LL << 20}, number_case{"gibi", "1Gi", 1LL << 30}, number_case{"kibi", "4Ki", 4096},
        number_case{"bytes", "1048576", 1'048'576}, number_case{"one_byte", "1", 1}, number_case{"empty", "", 0, "must be a whole number"},
        number_case{"word", "abc", 0, "must be a whole number"}, number_case{"negative", "-100", 0, "must be a whole number"},
        number_case{"zero", "0", 0, "greater than 0"}, number_case{"zero_mebi", "0Mi", 0, "greater than 0"},
        number_case{"negative_gibi", "-1Gi", 0, "must be a whole number"},
        number_case{"unknown_unit", "256Xi", 0, "must be a whole number"}, number_case{"decimal_unit", "256M", 0, "must be a whole number"},
        number_case{"small_letters", "256mi", 0, "must be a whole number"}, number_case{"fraction", "1.5Gi", 0, "must be a whole number"},
        number_case{"space", "1 Gi", 0, "must be a whole number"}, number_case{"unit_only", "Mi", 0, "must be a whole number"},
        number_case{"plus", "+1", 0, "must be a whole number"}, number_case{"too_large", "9999999999Gi", 0, "too large"},
        number_case{"beyond_64_bits", "99999999999999999999", 0, "too large"},
        number_case{"gibi_beyond_64_bits", "99999999999999999999Gi", 0, "too large"}),
    &name_of_case);

struct memory_text_case {
    std::string_view name;
    std::int64_t bytes;
    std::string_view want;
};
class MemoryText : public ::testing::TestWithParam<memory_text_case> { };
TEST_P(MemoryText, IsWhatSomebodyWouldWrite) { EXPECT_EQ(memory_text(GetParam().bytes), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, MemoryText,
    ::testing::Values(memory_text_case{"gibi", 16LL << 30, "16Gi"}, memory_text_case{"mebi", 16LL << 20, "16Mi"},
        memory_text_case{"kibi", 1'536LL << 10, "1536Ki"}, memory_text_case{"bytes", 1'025, "1025"}, memory_text_case{"none", 0, "0"}),
    [](const auto& info) { return std::string(info.param.name); });

class Cpu : public ::testing::TestWithParam<number_case> { };
TEST_P(Cpu, IsADecimalNumberOfProcessors) { expect_case(GetParam(), parse_cpu_milli(GetParam().text)); }
INSTANTIATE_TEST_SUITE_P(Cases, Cpu,
    ::testing::Values(number_case{"half", "0.5", 500}, number_case{"one", "1", 1'000}, number_case{"two_and_a_half", "2.5", 2'500},
        number_case{"quarter", "0.25", 250}, number_case{"no_whole_part", ".5", 500}, number_case{"no_fraction", "2.", 2'000},
        number_case{"rounded", "0.2505", 251}, number_case{"tiny_is_the_least", "0.001", 10}, number_case{"tinier_too", "0.00000001", 10},
        number_case{"milli", "500m", 0, "must be a decimal"}, number_case{"empty", "", 0, "must be a decimal"},
        number_case{"point_only", ".", 0, "must be a decimal"}, number_case{"word", "abc", 0, "must be a decimal"},
        number_case{"negative", "-1", 0, "must be a decimal"}, number_case{"exponent", "1e3", 0, "must be a decimal"},
        number_case{"infinite", "inf", 0, "must be a decimal"}, number_case{"zero", "0", 0, "greater than 0"},
        number_case{"zeros", "0.000", 0, "greater than 0"}, number_case{"too_many", "99999999", 0, "too large"},
        number_case{"beyond_64_bits", "99999999999999999999", 0, "too large"}),
    &name_of_case);

struct duration_case {
    std::string_view name;
    std::string_view text;
    std::chrono::nanoseconds want;
    std::string_view shown;    // as Go writes it
};
class Duration : public ::testing::TestWithParam<duration_case> { };
TEST_P(Duration, IsGos)
{
    const auto& c = GetParam();
    const auto got = parse_duration(c.text);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(*got, c.want);
    EXPECT_EQ(duration_text(*got), c.shown);
}
INSTANTIATE_TEST_SUITE_P(Cases, Duration,
    ::testing::Values(duration_case{"seconds", "90s", 90s, "1m30s"}, duration_case{"minute", "60s", 60s, "1m0s"},
        duration_case{"parts", "1m30s", 90s, "1m30s"}, duration_case{"fraction_of_an_hour", "1.5h", 90min, "1h30m0s"},
        duration_case{"milliseconds", "100ms", 100ms, "100ms"}, duration_case{"part_of_a_second", "1500ms", 1500ms, "1.5s"},
        duration_case{"micro", "1.5us", 1500ns, "1.5µs"}, duration_case{"micro_sign", "2µs", 2us, "2µs"},
        duration_case{"greek_mu", "2μs", 2us, "2µs"}, duration_case{"nano", "7ns", 7ns, "7ns"}, duration_case{"zero", "0", 0s, "0s"},
        duration_case{"zero_seconds", "0s", 0s, "0s"}, duration_case{"negative", "-1m", -60s, "-1m0s"},
        duration_case{"plus", "+5s", 5s, "5s"}, duration_case{"no_whole_part", ".5s", 500ms, "500ms"},
        duration_case{"day", "24h", 24h, "24h0m0s"}, duration_case{"all_units", "1h1m1s1ms1us1ns", 3'661'001'001'001ns, "1h1m1.001001001s"},
        duration_case{"longest", "2562047h47m16s", 9'223'372'036s, "2562047h47m16s"}),
    [](const auto& info) { return std::string(info.param.name); });

struct wrong_duration_case {
    std::string_view name;
    std::string_view text;
    std::string_view want;
};
class WrongDuration : public ::testing::TestWithParam<wrong_duration_case> { };
TEST_P(WrongDuration, IsRefusedInGosWords) { EXPECT_EQ(parse_duration(GetParam().text).error().detail, GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, WrongDuration,
    ::testing::Values(wrong_duration_case{"empty", "", R"(time: invalid duration "")"},
        wrong_duration_case{"no_unit", "60", R"(time: missing unit in duration "60")"},
        wrong_duration_case{"unknown_unit", "3d", R"(time: unknown unit "d" in duration "3d")"},
        wrong_duration_case{"word", "soon", R"(time: invalid duration "soon")"},
        wrong_duration_case{"sign_only", "-", R"(time: invalid duration "-")"},
        wrong_duration_case{"point_only", ".s", R"(time: invalid duration ".s")"},
        wrong_duration_case{"too_long", "9999999h", R"(time: invalid duration "9999999h")"},
        wrong_duration_case{"too_long_together", "2562047h2562047h", R"(time: invalid duration "2562047h2562047h")"},
        wrong_duration_case{"beyond_64_bits", "99999999999999999999s", R"(time: invalid duration "99999999999999999999s")"},
        wrong_duration_case{"space", "1 s", R"(time: unknown unit " s" in duration "1 s")"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
