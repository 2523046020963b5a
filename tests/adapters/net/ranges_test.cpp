#include "adapters/net/ranges.hpp"

#include <gtest/gtest.h>

namespace caisson::net {
namespace {

struct plan_case {
    std::string_view name;
    std::uint64_t size;
    headers fields;
    int status;
    std::uint64_t offset;
    std::uint64_t length;
    std::string_view content_range;    // empty: none
    std::string method = "GET";
};
class ContentPlan : public ::testing::TestWithParam<plan_case> { };
TEST_P(ContentPlan, SaysWhatToSend)
{
    const auto& c = GetParam();
    request asked;
    asked.method = c.method;
    asked.fields = c.fields;
    const auto got = plan_content(asked, c.size, "abc");
    EXPECT_EQ(got.status, c.status);
    EXPECT_EQ(got.offset, c.offset);
    EXPECT_EQ(got.length, c.length);
    EXPECT_EQ(got.fields.find("Content-Range").value_or(""), c.content_range);
    EXPECT_EQ(got.fields.find("ETag"), "\"abc\"");
    EXPECT_EQ(got.fields.find("Accept-Ranges"), "bytes");
    const auto announced = got.fields.find("Content-Length");
    EXPECT_EQ(announced.has_value(), c.status == 200 || c.status == 206);
    EXPECT_EQ(announced.value_or(std::to_string(c.length)), std::to_string(c.length));
}
constexpr auto huge = "bytes=0-99999999999999999999999999";
INSTANTIATE_TEST_SUITE_P(Cases, ContentPlan,
    ::testing::Values(plan_case{"all", 10, {}, 200, 0, 10, ""}, plan_case{"part", 10, {{"Range", "bytes=2-5"}}, 206, 2, 4, "bytes 2-5/10"},
        plan_case{"first_byte", 10, {{"Range", "bytes=0-0"}}, 206, 0, 1, "bytes 0-0/10"},
        plan_case{"open", 10, {{"Range", "bytes=7-"}}, 206, 7, 3, "bytes 7-9/10"},
        plan_case{"past_the_end", 10, {{"Range", "bytes=7-99"}}, 206, 7, 3, "bytes 7-9/10"},
        plan_case{"huge_last", 10, {{"Range", huge}}, 206, 0, 10, "bytes 0-9/10"},
        plan_case{"suffix", 10, {{"Range", "bytes=-3"}}, 206, 7, 3, "bytes 7-9/10"},
        plan_case{"long_suffix", 10, {{"Range", "bytes=-30"}}, 206, 0, 10, "bytes 0-9/10"},
        plan_case{"unit_in_capitals", 10, {{"Range", "Bytes=2-5"}}, 206, 2, 4, "bytes 2-5/10"},
        plan_case{"behind_the_end", 10, {{"Range", "bytes=10-"}}, 416, 0, 0, "bytes */10"},
        plan_case{"huge_first", 10, {{"Range", "bytes=99999999999999999999999999-"}}, 416, 0, 0, "bytes */10"},
        plan_case{"empty_suffix", 10, {{"Range", "bytes=-0"}}, 416, 0, 0, "bytes */10"},
        plan_case{"of_nothing", 0, {{"Range", "bytes=0-"}}, 416, 0, 0, "bytes */0"},
        plan_case{"suffix_of_nothing", 0, {{"Range", "bytes=-5"}}, 200, 0, 0, ""},
        plan_case{"backwards", 10, {{"Range", "bytes=5-2"}}, 200, 0, 10, ""},
        plan_case{"two_ranges", 10, {{"Range", "bytes=0-1,4-5"}}, 200, 0, 10, ""},
        plan_case{"two_fields", 10, {{"Range", "bytes=0-1"}, {"Range", "bytes=4-5"}}, 200, 0, 10, ""},
        plan_case{"another_unit", 10, {{"Range", "lines=0-1"}}, 200, 0, 10, ""},
        plan_case{"no_number", 10, {{"Range", "bytes=a-b"}}, 200, 0, 10, ""},
        plan_case{"signed", 10, {{"Range", "bytes=+1-2"}}, 200, 0, 10, ""},
        plan_case{"no_dash", 10, {{"Range", "bytes=5"}}, 200, 0, 10, ""},
        plan_case{"only_dash", 10, {{"Range", "bytes=-"}}, 200, 0, 10, ""},
        plan_case{"nothing_behind_unit", 10, {{"Range", "bytes="}}, 200, 0, 10, ""},
        plan_case{"head", 10, {{"Range", "bytes=2-5"}}, 200, 0, 10, "", "HEAD"},
        plan_case{"if_range_holds", 10, {{"Range", "bytes=2-5"}, {"If-Range", "\"abc\""}}, 206, 2, 4, "bytes 2-5/10"},
        plan_case{"if_range_differs", 10, {{"Range", "bytes=2-5"}, {"If-Range", "\"abd\""}}, 200, 0, 10, ""},
        plan_case{"if_range_weak", 10, {{"Range", "bytes=2-5"}, {"If-Range", "W/\"abc\""}}, 200, 0, 10, ""},
        plan_case{"if_range_date", 10, {{"Range", "bytes=2-5"}, {"If-Range", "Sat, 29 Oct 1994 19:43:31 GMT"}}, 200, 0, 10, ""},
        plan_case{"known", 10, {{"If-None-Match", "\"abc\""}}, 304, 0, 0, ""},
        plan_case{"known_weakly", 10, {{"If-None-Match", "W/\"abc\""}}, 304, 0, 0, ""},
        plan_case{"known_in_list", 10, {{"If-None-Match", "\"x,\" , \"abc\""}}, 304, 0, 0, ""},
        plan_case{"known_in_second_field", 10, {{"If-None-Match", "\"x\""}, {"If-None-Match", "\"abc\""}}, 304, 0, 0, ""},
        plan_case{"any", 10, {{"If-None-Match", "*"}}, 304, 0, 0, ""},
        plan_case{"known_to_head", 10, {{"If-None-Match", "\"abc\""}}, 304, 0, 0, "", "HEAD"},
        plan_case{"known_before_range", 10, {{"If-None-Match", "\"abc\""}, {"Range", "bytes=99-"}}, 304, 0, 0, ""},
        plan_case{"unknown", 10, {{"If-None-Match", "\"abcd\", abc, \"ab"}}, 200, 0, 10, ""}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::net
