// What hostile schemas and values cost: steps, never time.

#include "adapters/schema/json_schema.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

constexpr auto a_day = std::chrono::hours(24);

std::string repeated(std::string_view text, int count)
{
    std::string all;
    for (int i = 0; i < count; ++i)
        all += text;
    return all;
}

std::string list_of(std::string_view item, int count)
{
    return "[" + repeated(std::string(item) + ",", count - 1) + std::string(item) + "]";
}

struct cost {
    std::string told;    // why it was given up; empty: it came to its end
    std::size_t steps;
};

cost cost_of(std::string_view schema, std::string_view json, std::size_t most = step_budget::most_steps)
{
    step_budget budget(most, std::chrono::steady_clock::now() + a_day);
    const auto checked = check_json_schema(schema, json, budget);
    return {checked.has_error() ? checked.error().detail : "", budget.used()};
}

constexpr std::size_t few_steps = 50'000;
constexpr auto given_up_early = "the schema is too costly: the check was given up after 50000 steps";

struct hostile_case {
    std::string_view name;
    std::string schema;
    std::string json;
};
class HostileSchema : public ::testing::TestWithParam<hostile_case> { };

/// Each would be far more work than its steps if they were not counted so.
TEST_P(HostileSchema, IsGivenUp) { EXPECT_EQ(cost_of(GetParam().schema, GetParam().json, few_steps).told, given_up_early); }

INSTANTIATE_TEST_SUITE_P(Cases, HostileSchema,
    ::testing::Values(
        hostile_case{"pattern_of_all_alternatives", R"j({"pattern":"(?:a?){450}$"})j", "\"" + std::string(10'000, 'a') + "\""},
        hostile_case{"pattern_of_many_states", R"j({"pattern":"[ab]*a[ab]{200}$"})j", "\"" + std::string(30'000, 'a') + "\""},
        hostile_case{"patterns_of_names", R"j({"patternProperties":{"(?:a?){450}$":{}}})j", "{\"" + std::string(10'000, 'a') + "\":1}"},
        hostile_case{"patterns_of_items", R"j({"items":{"pattern":"^.{1,255}$"}})j", list_of("\"" + std::string(100, 'a') + "\"", 30)},
        hostile_case{"pattern_that_compiles_for_long", R"j({"pattern":"(?i)[)j" + repeated("\\\\PL", 300) + "]\"}", "1"},
        hostile_case{"items", R"({"items":{"type":"null"}})", list_of("null", 15'000)},
        hostile_case{"types", R"({"items":{"type":)" + list_of("\"null\"", 5'000) + "}}", list_of("0", 11)},
        hostile_case{"choices", R"({"items":{"enum":)" + list_of("1", 5'000) + "}}", list_of("0", 11)},
        hostile_case{"long_choice", R"({"items":{"enum":[")" + std::string(100'000, 'a') + "\"]}}", list_of("0", 10)},
        hostile_case{"long_value", R"({"allOf":)" + list_of(R"({"const":1})", 10) + "}", "\"" + std::string(100'000, 'a') + "\""},
        hostile_case{"unique_items", R"({"allOf":)" + list_of(R"({"uniqueItems":true})", 10) + "}", list_of("0", 5'000)},
        hostile_case{"lengths", R"({"allOf":)" + list_of(R"({"maxLength":1000000})", 50) + "}", "\"" + std::string(70'000, 'a') + "\""},
        hostile_case{"required_names", R"({"items":{"required":[")" + std::string(100'000, 'a') + "\"]}}", list_of("{}", 40)},
        hostile_case{"dependencies", R"({"items":{"dependencies":{")" + std::string(100'000, 'a') + "\":[]}}}", list_of("{}", 40)},
        hostile_case{
            "long_names", R"({"allOf":)" + list_of(R"({"properties":{"b":{}}})", 40) + "}", "{\"" + std::string(100'000, 'a') + "\":1}"},
        hostile_case{"alternatives", R"({"items":{"anyOf":)" + list_of("false", 2'000) + "}}", list_of("0", 26)},
        hostile_case{"parts", R"({"items":{"allOf":)" + list_of(R"({"title":"a","title2":"b"})", 4'900) + "}}", list_of("0", 3)}),
    [](const auto& info) { return std::string(info.param.name); });

struct cheap_case {
    std::string_view name;
    std::string schema;
    std::string json;
};
class ModestSchema : public ::testing::TestWithParam<cheap_case> { };

/// What people write must not be refused for its cost, nor what is cheap whatever it looks like.
TEST_P(ModestSchema, IsFarFromTheBound)
{
    const auto [told, steps] = cost_of(GetParam().schema, GetParam().json);
    EXPECT_EQ(told, "");
    EXPECT_LT(steps, step_budget::most_steps / 2);
}

const std::string a_uuid = R"("01234567-89ab-cdef-0123-456789abcdef")";
constexpr auto uuids = R"j({"items":{"type":"string","pattern":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"}})j";

INSTANTIATE_TEST_SUITE_P(Cases, ModestSchema,
    ::testing::Values(cheap_case{"base64_of_a_mebibyte", R"j({"pattern":"^[A-Za-z0-9+/=]*$"})j", "\"" + std::string(1 << 20, 'A') + "\""},
        cheap_case{"ten_thousand_uuids", uuids, list_of(a_uuid, 10'000)},
        cheap_case{"names_of_any_script", R"j({"pattern":"^\\p{L}+( \\p{L}+)?$"})j", "\"Zoë Å\""},
        // The name is looked at once, and no place is put together for the items below it.
        cheap_case{"items_below_a_long_name", R"({"additionalProperties":{"items":true}})",
            "{\"" + std::string(200'000, 'k') + "\":" + list_of("0", 20'000) + "}"},
        cheap_case{"parts_below_a_long_name",
            R"({"properties":{")" + std::string(100'000, 'k') + R"(":{"allOf":)" + list_of("{\"a\":1}", 4'000) + "}}}", "{}"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SchemaCost, GrowsWithTheSizeOfAPattern)
{
    const auto text = "\"" + std::string(1'000, 'a') + "\"";
    const auto small = cost_of(R"j({"pattern":"(?:a?){10}$"})j", text).steps;
    const auto large = cost_of(R"j({"pattern":"(?:a?){400}$"})j", text).steps;
    EXPECT_GT(large, 10 * small);
}

TEST(SchemaCost, TimeIsBoundedToo)
{
    step_budget late(1'000'000, std::chrono::steady_clock::now() - std::chrono::seconds(1));
    const auto checked = check_json_schema("{}", "null", late);
    ASSERT_TRUE(checked.has_error());
    EXPECT_EQ(checked.error().code, errc::bad_request);
    EXPECT_EQ(checked.error().detail, "the schema is too costly: the check takes longer than 2 seconds");
}

TEST(SchemaCost, MemoryOfAValueIsBounded)
{
    const auto checked = check_json_schema("{}", list_of("0", 6'000'000));
    ASSERT_TRUE(checked.has_value());
    ASSERT_EQ(checked->size(), 1u);
    EXPECT_EQ(checked->front().message, "the value has too many parts to be checked: it takes more than 128 MiB");
}

}    // namespace
}    // namespace caisson
