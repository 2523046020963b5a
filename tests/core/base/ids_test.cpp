#include "core/base/ids.hpp"

#include <gtest/gtest.h>

#include <unordered_set>
#include <vector>

namespace caisson {
namespace {

class set_clock : public clock {
public:
    std::int64_t now = 1'700'000'000'000;
    std::int64_t now_ms() const override { return now; }
    steady_time steady_now() const override { return {}; }
};

TEST(IdFactory, MakesWellFormedIdsOfItsKind)
{
    const set_clock time;
    id_factory ids(time);
    const auto id = ids.make<execution_id>();
    EXPECT_EQ(id.str().size(), 30u);
    EXPECT_EQ(execution_id::parse(id.str()), id);
    EXPECT_EQ(sandbox_id::parse(id.str()), std::nullopt);
}

TEST(IdFactory, BeginsWithTheTime)
{
    set_clock time;
    id_factory ids(time);
    time.now = 0;
    EXPECT_TRUE(ids.make<tenant_id>().str().starts_with("ten_0000000000"));
    time.now = (std::int64_t(1) << 48) - 1;    // 48 bits at the front of 130: 7 and then nine digits of 5 bits
    EXPECT_TRUE(ids.make<tenant_id>().str().starts_with("ten_7zzzzzzzzz"));
}

TEST(IdFactory, IncreasesWithinAMillisecond)
{
    const set_clock time;
    id_factory ids(time);
    std::vector<execution_id> made;
    for (int i = 0; i < 1000; ++i)
        made.push_back(ids.make<execution_id>());
    for (std::size_t i = 1; i < made.size(); ++i)
        EXPECT_LT(made[i - 1], made[i]);
}

TEST(IdFactory, IncreasesWhenTheClockStepsBack)
{
    set_clock time;
    id_factory ids(time);
    const auto first = ids.make<execution_id>();
    time.now -= 3'600'000;
    const auto second = ids.make<execution_id>();
    time.now += 3'600'001;
    const auto third = ids.make<execution_id>();
    EXPECT_LT(first, second);
    EXPECT_LT(second, third);
}

TEST(IdFactory, TwoFactoriesDoNotMeet)
{
    const set_clock time;
    std::unordered_set<execution_id> seen;
    for (int i = 0; i < 100; ++i) {
        id_factory ids(time);
        EXPECT_TRUE(seen.insert(ids.make<execution_id>()).second);
    }
}

TEST(BasicId, TheEmptyOneNamesNothing)
{
    EXPECT_TRUE(key_id().empty());
    EXPECT_EQ(key_id(), key_id::from_trusted(""));
}

struct id_case {
    std::string_view name;
    std::string_view text;
    bool good;
};
class ParseId : public ::testing::TestWithParam<id_case> { };

TEST_P(ParseId, TellsWellFormedFromMalformed) { EXPECT_EQ(execution_id::parse(GetParam().text).has_value(), GetParam().good); }
INSTANTIATE_TEST_SUITE_P(Cases, ParseId,
    ::testing::Values(id_case{"good", "exe_01hf7yat00abcdefghjkmnpqrs", true}, id_case{"empty", "", false},
        id_case{"prefix_only", "exe_", false}, id_case{"short_by_one", "exe_01hf7yat00abcdefghjkmnpqr", false},
        id_case{"long_by_one", "exe_01hf7yat00abcdefghjkmnpqrst", false}, id_case{"other_prefix", "sbx_01hf7yat00abcdefghjkmnpqrs", false},
        id_case{"upper_case", "exe_01HF7YAT00ABCDEFGHJKMNPQRS", false}, id_case{"letter_u", "exe_01hf7yat00ubcdefghjkmnpqrs", false},
        id_case{"dash", "exe_01hf7yat00-bcdefghjkmnpqrs", false}, id_case{"slash", "exe_../../../../../../etc/pas", false},
        id_case{"nul", std::string_view("exe_01hf7yat00\0bcdefghjkmnpqrs", 30), false}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
