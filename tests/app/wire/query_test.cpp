#include "tests/app/wire/wire_fixture.hpp"

#include "app/wire/query.hpp"
#include "core/base/clock.hpp"

#include <gtest/gtest.h>

namespace caisson::wire {

namespace {

using namespace std::chrono_literals;

execution_id some_id() { return *execution_id::parse("exe_01jd2c00000000000000000000"); }

TEST(ListQuery, Defaults)
{
    const auto query = parse_list_query({});
    ASSERT_TRUE(query);
    EXPECT_EQ(query->filter.limit, 50u);
    EXPECT_FALSE(query->filter.status || query->filter.kind || query->filter.label || query->filter.before);
    EXPECT_FALSE(query->include_output);
}

TEST(ListQuery, Everything)
{
    const auto query = parse_list_query({{"status", "failed"}, {"kind", "code"}, {"label", "team=a=b"},
        {"created_from", "2026-01-31T12:00:00Z"}, {"created_before", "2026-01-31T13:00:00.5+01:00"}, {"limit", "200"},
        {"cursor", list_cursor(some_id())}, {"include", "output"}, {"ticket", "x"}});
    ASSERT_TRUE(query) << told(query.error());
    EXPECT_EQ(query->filter.status, execution_status::failed);
    EXPECT_EQ(query->filter.kind, execution_kind::code);
    EXPECT_EQ(query->filter.label, (std::pair<std::string, std::string>("team", "a=b")));
    EXPECT_EQ(query->filter.created_from_ms, from_rfc3339("2026-01-31T12:00:00Z"));
    EXPECT_EQ(query->filter.created_before_ms, *from_rfc3339("2026-01-31T12:00:00Z") + 500);
    EXPECT_EQ(query->filter.limit, 200u);
    EXPECT_EQ(query->filter.before, some_id());
    EXPECT_TRUE(query->include_output);
}

struct bad_case {
    std::string_view name;
    query_parameters query;
    std::string_view want;
};
void PrintTo(const bad_case& c, std::ostream* out) { *out << c.name; }
class BadList : public ::testing::TestWithParam<bad_case> { };
TEST_P(BadList, IsNamed)
{
    const auto query = parse_list_query(GetParam().query);
    ASSERT_FALSE(query);
    EXPECT_EQ(told(query.error()), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, BadList,
    ::testing::Values(bad_case{"unknown", {{"page", "2"}}, "bad_request: page is not a known parameter"},
        bad_case{"twice", {{"limit", "1"}, {"limit", "2"}}, "bad_request: limit is given twice"},
        bad_case{"limit_zero", {{"limit", "0"}}, "bad_request: limit must be a whole number between 1 and 200"},
        bad_case{"limit_large", {{"limit", "201"}}, "bad_request: limit must be a whole number between 1 and 200"},
        bad_case{"limit_absurd", {{"limit", "99999999999999999999"}}, "bad_request: limit must be a whole number between 1 and 200"},
        bad_case{"limit_text", {{"limit", "1x"}}, "bad_request: limit must be a whole number between 1 and 200"},
        bad_case{"limit_empty", {{"limit", ""}}, "bad_request: limit must be a whole number between 1 and 200"},
        bad_case{"status", {{"status", "done"}},
            "bad_request: status must be one of queued, running, success, failed, timeout, cancelled, interrupted"},
        bad_case{"kind", {{"kind", "skills"}}, "bad_request: kind must be one of command, shell, code, skill"},
        bad_case{"label", {{"label", "team"}}, "bad_request: label must be name=value"},
        bad_case{
            "time", {{"created_from", "yesterday"}}, "bad_request: created_from must be an RFC 3339 time such as 2026-01-31T12:00:00.000Z"},
        bad_case{"cursor", {{"cursor", "x"}}, "bad_request: cursor is not a cursor of a list"},
        bad_case{"cursor_of_a_log", {{"cursor", to_cursor({1, 2, 3})}}, "bad_request: cursor is not a cursor of a list"},
        bad_case{"include", {{"include", "all"}}, R"(bad_request: include must be "output" or "none")"},
        bad_case{"sandbox", {{"sandbox_id", "x"}}, "not_implemented: sandbox_id is not available in this version"},
        bad_case{"several", {{"limit", "0"}, {"x", ""}},
            "bad_request: limit must be a whole number between 1 and 200; x is not a known parameter"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(GetQuery, IsBounded)
{
    EXPECT_EQ(parse_get_query({})->wait, 0ms);
    EXPECT_TRUE(parse_get_query({})->include_output);
    EXPECT_EQ(parse_get_query({{"wait_ms", "300000"}})->wait, 300s);
    EXPECT_FALSE(parse_get_query({{"include", "none"}})->include_output);
    EXPECT_EQ(told(parse_get_query({{"wait_ms", "300001"}}).error()), "bad_request: wait_ms must be a whole number between 0 and 300000");
    EXPECT_EQ(told(parse_get_query({{"wait_ms", "-1"}}).error()), "bad_request: wait_ms must be a whole number between 0 and 300000");
}

TEST(EventsQuery, Reads)
{
    EXPECT_FALSE(parse_events_query({})->after);
    EXPECT_FALSE(parse_events_query({})->follow);
    const auto query = parse_events_query({{"after", to_cursor({1, 2, 3})}, {"follow", "1"}});
    ASSERT_TRUE(query);
    EXPECT_EQ(query->after, (log_position{1, 2, 3}));
    EXPECT_TRUE(query->follow);
    EXPECT_EQ(parse_events_query({{"after", "0"}})->after, log_position{});
    EXPECT_EQ(told(parse_events_query({{"after", "1.2.3"}, {"follow", "yes"}}).error()),
        "bad_request: after is not a cursor; follow must be 0 or 1");
}

TEST(StreamQuery, Reads)
{
    const auto query = parse_stream_query({{"after", "0"}, {"frames", "binary"}, {"ticket", "t"}});
    ASSERT_TRUE(query);
    EXPECT_EQ(query->frames, frame_format::binary);
    EXPECT_EQ(parse_stream_query({})->frames, frame_format::json);
    EXPECT_EQ(told(parse_stream_query({{"frames", "text"}}).error()), R"(bad_request: frames must be "json" or "binary")");
}

TEST(ConnectQuery, TakesFramesOnly)
{
    EXPECT_EQ(*parse_connect_query({{"frames", "binary"}}), frame_format::binary);
    EXPECT_EQ(told(parse_connect_query({{"after", "0"}}).error()), "bad_request: after is not a known parameter");
}

TEST(NoQuery, TakesNothing)
{
    EXPECT_TRUE(parse_no_query({}));
    EXPECT_TRUE(parse_no_query({{"ticket", "x"}}));
    EXPECT_EQ(told(parse_no_query({{"pretty", "1"}}).error()), "bad_request: pretty is not a known parameter");
}

}    // namespace

}    // namespace caisson::wire
