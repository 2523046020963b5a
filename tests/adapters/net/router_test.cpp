#include "adapters/net/router.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace caisson::net {
namespace {

enum route : std::size_t { list, create, show, latest, events, file, remove_one, root };

router routes()
{
    router out;
    out.add("GET", "/", root);
    out.add("GET", "/v1/executions", list);
    out.add("POST", "/v1/executions", create);
    out.add("GET", "/v1/executions/{id}", show);
    out.add("DELETE", "/v1/executions/{id}", remove_one);
    out.add("GET", "/v1/executions/latest", latest);
    out.add("GET", "/v1/executions/{id}/events", events);
    out.add("GET", "/v1/executions/{id}/artifacts/{path...}", file);
    return out;
}

struct route_case {
    std::string_view name;
    std::string_view method;
    std::string_view path;
    match_kind kind;
    std::size_t route;
    std::string_view id;      // expected capture "id"
    std::string_view more;    // expected capture "path", or Allow
};
class Router : public ::testing::TestWithParam<route_case> { };

TEST_P(Router, Matches)
{
    const auto& c = GetParam();
    const auto got = routes().match(c.method, c.path);
    ASSERT_EQ(got.kind, c.kind);
    if (c.kind == match_kind::found) {
        EXPECT_EQ(got.route, c.route);
        EXPECT_EQ(got.capture("id"), c.id);
        EXPECT_EQ(got.capture("path"), c.more);
    } else {
        EXPECT_EQ(got.allow, c.more);
        EXPECT_TRUE(got.captures.empty());
    }
}

constexpr auto found = match_kind::found;
constexpr auto missing = match_kind::not_found;
constexpr auto wrong_method = match_kind::method_not_allowed;

INSTANTIATE_TEST_SUITE_P(Cases, Router,
    ::testing::Values(route_case{"root", "GET", "/", found, root, "", ""},
        route_case{"literal", "GET", "/v1/executions", found, list, "", ""},
        route_case{"by_method", "POST", "/v1/executions", found, create, "", ""},
        route_case{"head_is_get", "HEAD", "/v1/executions", found, list, "", ""},
        route_case{"capture", "GET", "/v1/executions/exe_1", found, show, "exe_1", ""},
        route_case{"literal_wins", "GET", "/v1/executions/latest", found, latest, "", ""},
        route_case{"literal_gives_way_for_another_method", "DELETE", "/v1/executions/latest", found, remove_one, "latest", ""},
        route_case{"capture_below_a_literal_of_that_name", "GET", "/v1/executions/latest/events", found, events, "latest", ""},
        route_case{"decoded", "GET", "/v1/executions/a%20b%2Fc+d", found, show, "a b/c+d", ""},
        route_case{"rest", "GET", "/v1/executions/a/artifacts/b/c%20d", found, file, "a", "b/c d"},
        route_case{"rest_keeps_dots", "GET", "/v1/executions/a/artifacts/../x", found, file, "a", "../x"},
        route_case{"rest_is_not_empty", "GET", "/v1/executions/a/artifacts/", missing, 0, "", ""},
        route_case{"unknown", "GET", "/v2", missing, 0, "", ""}, route_case{"prefix_only", "GET", "/v1", missing, 0, "", ""},
        route_case{"trailing_slash", "GET", "/v1/executions/", missing, 0, "", ""},
        route_case{"empty_segment", "GET", "/v1//executions", missing, 0, "", ""},
        route_case{"too_long", "GET", "/v1/executions/a/events/b", missing, 0, "", ""},
        route_case{"bad_encoding", "GET", "/v1/executions/a%2", missing, 0, "", ""},
        route_case{"bad_hex", "GET", "/v1/executions/a%zz", missing, 0, "", ""},
        route_case{"encoded_nul", "GET", "/v1/executions/a%00", missing, 0, "", ""},
        route_case{"case_matters", "GET", "/V1/executions", missing, 0, "", ""}, route_case{"asterisk", "OPTIONS", "*", missing, 0, "", ""},
        route_case{"wrong_method", "PUT", "/v1/executions", wrong_method, 0, "", "GET, HEAD, POST"},
        route_case{"wrong_method_of_a_capture", "POST", "/v1/executions/a", wrong_method, 0, "", "DELETE, GET, HEAD"},
        route_case{"method_case_matters", "get", "/v1/executions/a/events", wrong_method, 0, "", "GET, HEAD"}),
    [](const auto& info) { return std::string(info.param.name); });

class RouterPattern : public ::testing::TestWithParam<std::string_view> { };
TEST_P(RouterPattern, IsRefused)
{
    auto all = routes();
    EXPECT_THROW(all.add("GET", GetParam(), 0), std::invalid_argument);
}
INSTANTIATE_TEST_SUITE_P(Cases, RouterPattern,
    ::testing::Values("v1", "", "/v1/executions", "/v1/executions/{other}", "/a/{id", "/a/{}", "/a/{...}", "/{a...}/b", "/{a}/{a}"));

}    // namespace
}    // namespace caisson::net
