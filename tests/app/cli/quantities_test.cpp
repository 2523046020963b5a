#include "app/cli/quantities.hpp"

#include <gtest/gtest.h>

namespace caisson::cli {
namespace {

struct text_case {
    std::string_view name;
    std::string_view text;
    std::optional<std::int64_t> want;
};
std::string name_of(const ::testing::TestParamInfo<text_case>& info) { return std::string(info.param.name); }

class Duration : public ::testing::TestWithParam<text_case> { };
TEST_P(Duration, Parses) { EXPECT_EQ(parse_duration_ms(GetParam().text), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, Duration,
    ::testing::Values(text_case{"milliseconds", "250ms", 250}, text_case{"seconds", "30s", 30'000}, text_case{"bare", "30", 30'000},
        text_case{"minutes", "5m", 300'000}, text_case{"hours", "2h", 7'200'000}, text_case{"days", "30d", 2'592'000'000},
        text_case{"fraction", "1.5s", 1'500}, text_case{"empty", "", {}}, text_case{"unit_only", "s", {}}, text_case{"zero", "0s", {}},
        text_case{"rounds_to_zero", "0.2ms", {}}, text_case{"negative", "-1s", {}}, text_case{"plus", "+1s", {}},
        text_case{"space", "1 s", {}}, text_case{"unknown_unit", "1w", {}}, text_case{"two", "1m30s", {}}, text_case{"infinite", "inf", {}},
        text_case{"nan", "nan", {}}, text_case{"exponent", "1e3s", {}}, text_case{"hex", "0x10", {}}, text_case{"too_long", "4000d", {}},
        text_case{"enormous", "99999999999999999999999999d", {}}),
    name_of);

class Bytes : public ::testing::TestWithParam<text_case> { };
TEST_P(Bytes, Parses) { EXPECT_EQ(parse_bytes(GetParam().text), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, Bytes,
    ::testing::Values(text_case{"plain", "1048576", 1 << 20}, text_case{"kibi", "64Ki", 65'536}, text_case{"mebi", "512Mi", 512LL << 20},
        text_case{"gibi", "1Gi", 1LL << 30}, text_case{"long_form", "1MiB", 1 << 20}, text_case{"bytes", "17B", 17},
        text_case{"fraction", "0.5Gi", 512LL << 20}, text_case{"empty", "", {}}, text_case{"zero", "0", {}},
        text_case{"negative", "-1", {}}, text_case{"decimal_unit", "1M", {}}, text_case{"lower_case", "1mi", {}},
        text_case{"too_much", "2000000Gi", {}}),
    name_of);

TEST(Cpus, Parse)
{
    EXPECT_EQ(parse_cpus("0.5"), 0.5);
    EXPECT_EQ(parse_cpus("2"), 2.0);
    for (const auto* text : {"", "0", "-1", "500m", "1,5", "2000", "inf"})
        EXPECT_EQ(parse_cpus(text), std::nullopt) << text;
}

struct shown_case {
    std::string_view name;
    std::int64_t value;
    std::string_view want;
};
std::string name_of_shown(const ::testing::TestParamInfo<shown_case>& info) { return std::string(info.param.name); }

class ShowDuration : public ::testing::TestWithParam<shown_case> { };
TEST_P(ShowDuration, Reads) { EXPECT_EQ(show_duration(GetParam().value), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, ShowDuration,
    ::testing::Values(shown_case{"zero", 0, "0 ms"}, shown_case{"milliseconds", 999, "999 ms"}, shown_case{"second", 1'000, "1 s"},
        shown_case{"fraction", 1'240, "1.2 s"}, shown_case{"many_seconds", 12'345, "12 s"}, shown_case{"minute", 60'000, "1 min"},
        shown_case{"minutes", 185'000, "3 min 5 s"}, shown_case{"hours", 7'380'000, "2 h 3 min"},
        shown_case{"days", 349'200'000, "4 d 1 h"}),
    name_of_shown);

class ShowBytes : public ::testing::TestWithParam<shown_case> { };
TEST_P(ShowBytes, Reads) { EXPECT_EQ(show_bytes(GetParam().value), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, ShowBytes,
    ::testing::Values(shown_case{"zero", 0, "0 B"}, shown_case{"bytes", 1'023, "1023 B"}, shown_case{"kibi", 1'536, "1.5 KiB"},
        shown_case{"mebi", 512LL << 20, "512 MiB"}, shown_case{"tebi", 5'000LL << 40, "5000 TiB"}),
    name_of_shown);

}    // namespace
}    // namespace caisson::cli
