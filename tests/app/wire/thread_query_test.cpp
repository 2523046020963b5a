#include "app/wire/thread_query.hpp"

#include "app/wire/checkpoint_cursor.hpp"
#include "core/base/base64.hpp"

#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

const query_parameters asked{{"order", "asc"}, {"after", "a"}, {"before", "2026-01-31T12:00:00.000Z"}, {"step", "3"}, {"node_id", "n"},
    {"tag", "x"}, {"tag", "y"}, {"custom.k", "v"}, {"custom.l", "[1, 2]"}, {"limit", "5"}, {"include", "state"}};

query_parameters with(query_parameters query, const char* name, const char* value)
{
    std::erase_if(query, [&](const auto& each) { return each.first == name; });
    query.emplace_back(name, value);
    return query;
}

TEST(CheckpointsQuery, IsReadWhole)
{
    const auto found = parse_checkpoints_query(asked);
    ASSERT_TRUE(found.has_value()) << found.error().detail;
    EXPECT_EQ(found->order, list_order::oldest_first);
    EXPECT_EQ(found->metadata.tags, (std::vector<std::string>{"x", "y"}));
    ASSERT_EQ(found->metadata.custom.size(), 2u);
    EXPECT_EQ(found->metadata.custom[1].composite, "[1,2]");
    EXPECT_EQ(found->limit, 5u);
    EXPECT_TRUE(found->with_states);
    EXPECT_FALSE(found->beyond);
}

struct cursor_case {
    const char* name;
    const char* parameter;
    const char* value;
    const char* refused;    // the field; empty: it is taken
};
class CheckpointsCursor : public ::testing::TestWithParam<cursor_case> { };

TEST_P(CheckpointsCursor, GoesOnWithItsOwnListOnly)
{
    const auto& c = GetParam();
    const auto again = parse_checkpoints_query(with(with(asked, c.parameter, c.value), "cursor", checkpoints_cursor(asked, 7).c_str()));
    if (*c.refused == '\0') {
        ASSERT_TRUE(again.has_value()) << again.error().detail;
        EXPECT_EQ(again->beyond, 7);
        return;
    }
    ASSERT_TRUE(again.has_error());
    EXPECT_EQ(again.error().code, errc::bad_request);
    ASSERT_EQ(again.error().fields.size(), 1u);
    EXPECT_EQ(again.error().fields[0].field, c.refused);
}

constexpr cursor_case cursor_cases[] = {
    {"the_same", "order", "asc", ""},
    {"another_limit", "limit", "9", ""},
    {"without_states", "include", "none", ""},
    {"another_order", "order", "desc", "order"},
    {"another_begin", "after", "b", "after"},
    {"another_end", "before", "b", "before"},
    {"another_step", "step", "4", "step"},
    {"another_node", "node_id", "m", "node_id"},
    {"another_tag", "tag", "x", "tag"},
    {"another_value", "custom.k", "w", "custom"},
    {"another_name", "custom.m", "v", "custom"},
};
INSTANTIATE_TEST_SUITE_P(
    Cases, CheckpointsCursor, ::testing::ValuesIn(cursor_cases), [](const auto& info) { return std::string(info.param.name); });

TEST(CheckpointsQuery, TheOrderThatHoldsAnywayMayBeSaid)
{
    EXPECT_TRUE(parse_checkpoints_query({{"order", "desc"}, {"cursor", checkpoints_cursor({}, 1)}}).has_value());
    EXPECT_TRUE(parse_checkpoints_query({{"cursor", checkpoints_cursor({{"order", "desc"}}, 1)}}).has_value());
}

TEST(CheckpointsQuery, ForeignCursorsAreRefused)
{
    for (const auto* text : {"2.0.......", "2.-9223372036854775808.......", "2.9223372036854775807.......", "2.1......", "2.1........",
             "1.5", "2.1 .......", "x", ""}) {
        const auto found = parse_checkpoints_query({{"cursor", base64url_encode(text)}});
        ASSERT_TRUE(found.has_error()) << text;
        EXPECT_EQ(found.error().fields.at(0).field, "cursor") << text;
    }
    EXPECT_TRUE(parse_checkpoints_query({{"cursor", base64url_encode("2.1.......")}}).has_value());
}

TEST(CheckpointsQuery, ConditionsAreBounded)
{
    query_parameters many;
    for (int i = 0; i < 21; ++i)
        many.emplace_back(i % 2 == 0 ? "tag" : "custom.k", std::to_string(i));
    const auto found = parse_checkpoints_query(many);
    ASSERT_TRUE(found.has_error());
    EXPECT_EQ(found.error().fields.at(0).field, "tag");
}

}    // namespace

}    // namespace caisson::wire
