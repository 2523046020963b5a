#include "adapters/engine/pull_state.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace caisson::docker {
namespace {

using step = pull_state::step;

step take(pull_state& into, std::string_view line) { return into.take(boost::json::parse(line).as_object()); }

TEST(PullState, FollowsLayersToTheirEnd)
{
    pull_state of("busybox:1");
    struct line {
        std::string_view text;
        step want;
        std::size_t layers, done;
        std::int64_t bytes, total;
    };
    const line lines[] = {
        {R"({"status":"Pulling from library/busybox","id":"1"})", step::moved, 0, 0, 0, 0},
        {R"({"status":"Pulling fs layer","progressDetail":{},"id":"aa"})", step::moved, 1, 0, 0, 0},
        {R"({"status":"Already exists","progressDetail":{},"id":"bb"})", step::moved, 2, 1, 0, 0},
        {R"({"status":"Waiting","progressDetail":{},"id":"aa"})", step::moved, 2, 1, 0, 0},
        {R"({"status":"Waiting","progressDetail":{},"id":"aa"})", step::same, 2, 1, 0, 0},
        {R"({"status":"Downloading","progressDetail":{"current":100,"total":1000},"progress":"[=>  ]","id":"aa"})", step::moved, 2, 1, 100,
            1000},
        {R"({"status":"Downloading","progressDetail":{"current":100,"total":1000},"id":"aa"})", step::same, 2, 1, 100, 1000},
        {R"({"status":"Retrying in 5 seconds","progressDetail":{},"id":"aa"})", step::same, 2, 1, 100, 1000},
        {R"({"status":"Retrying in 4 seconds","progressDetail":{},"id":"aa"})", step::same, 2, 1, 100, 1000},
        {R"({"status":"Downloading","progressDetail":{"current":600,"total":1000},"id":"aa"})", step::moved, 2, 1, 600, 1000},
        {R"({"status":"Verifying Checksum","progressDetail":{},"id":"aa"})", step::moved, 2, 1, 600, 1000},
        {R"({"status":"Download complete","progressDetail":{},"id":"aa"})", step::moved, 2, 1, 1000, 1000},
        {R"({"status":"Extracting","progressDetail":{"current":32,"total":1000},"id":"aa"})", step::moved, 2, 1, 1000, 1000},
        {R"({"status":"Extracting","progressDetail":{"current":64,"total":1000},"id":"aa"})", step::moved, 2, 1, 1000, 1000},
        {R"({"status":"Extracting","progressDetail":{"current":3,"units":"s"},"id":"aa"})", step::moved, 2, 1, 1000, 1000},
        {R"({"status":"Pull complete","progressDetail":{},"id":"aa"})", step::moved, 2, 2, 1000, 1000},
        {R"({"status":"Digest: sha256:00"})", step::moved, 2, 2, 1000, 1000},
        {R"({"status":"Status: Downloaded newer image for busybox:1"})", step::moved, 2, 2, 1000, 1000},
    };
    for (const auto& each : lines) {
        EXPECT_EQ(take(of, each.text), each.want) << each.text;
        const auto& seen = of.progress();
        EXPECT_EQ(seen.image, "busybox:1");
        EXPECT_EQ(seen.layers, each.layers) << each.text;
        EXPECT_EQ(seen.layers_done, each.done) << each.text;
        EXPECT_EQ(seen.bytes, each.bytes) << each.text;
        EXPECT_EQ(seen.bytes_total, each.total) << each.text;
    }
    EXPECT_FALSE(of.failed());
}

TEST(PullState, TakesNumbersThatCannotBe)
{
    pull_state of("x");
    take(of, R"({"status":"Downloading","progressDetail":{"current":-5,"total":10},"id":"aa"})");
    EXPECT_EQ(of.progress().bytes, 0);
    take(of, R"({"status":"Downloading","progressDetail":{"current":50,"total":10},"id":"aa"})");
    EXPECT_EQ(of.progress().bytes, 10);
    take(of, R"({"status":"Downloading","progressDetail":{"current":50,"total":-1},"id":"bb"})");
    EXPECT_EQ(of.progress().bytes_total, 10);
    take(of, R"({"status":"Downloading","progressDetail":null,"id":"cc"})");
    EXPECT_EQ(of.progress().layers, 3u);
}

TEST(PullState, BoundsWhatItRemembers)
{
    pull_state of("x");
    for (int i = 0; i < 5'000; ++i)
        take(of, R"({"status":"Waiting","id":")" + std::to_string(i) + R"("})");
    EXPECT_EQ(of.progress().layers, 1'000u);
}

TEST(PullState, RefusesWhatIsNoSuchLine)
{
    pull_state of("x");
    for (const auto* text : {R"({"status":1})", R"({"id":[]})", R"({"id":"a","progressDetail":"much"})",
             R"({"id":"a","status":"Downloading","progressDetail":{"current":"1"}})", R"({"errorDetail":"no"})"})
        EXPECT_THROW(take(of, text), std::exception) << text;
}

struct failure_case {
    std::string_view name;
    std::string_view line;
    errc code;
    std::string_view says;
};
class PullFailure : public ::testing::TestWithParam<failure_case> { };
TEST_P(PullFailure, HasItsCode)
{
    const auto& c = GetParam();
    pull_state of("x");
    EXPECT_EQ(take(of, c.line), step::moved);
    ASSERT_TRUE(of.failed());
    EXPECT_EQ(of.failed()->code, c.code) << of.failed()->detail;
    EXPECT_NE(of.failed()->detail.find(c.says), std::string::npos) << of.failed()->detail;
}
INSTANTIATE_TEST_SUITE_P(Cases, PullFailure,
    ::testing::Values(
        failure_case{"no_manifest",
            R"({"errorDetail":{"message":"manifest for busybox:nope not found: manifest unknown: manifest unknown"},"error":"other"})",
            errc::not_found, "busybox:nope"},
        failure_case{"no_repository",
            R"({"error":"pull access denied for nobody/x, repository does not exist or may require 'docker login': denied: requested access to the resource is denied"})",
            errc::not_found, "docker login"},
        failure_case{"other_architecture",
            R"({"errorDetail":{"message":"no matching manifest for linux/arm64/v8 in the manifest list entries"}})", errc::not_found,
            "arm64"},
        failure_case{"wrong_password",
            R"({"errorDetail":{"message":"Get \"https://r/v2/x\": unauthorized: incorrect username or password"}})", errc::forbidden,
            "incorrect username"},
        failure_case{
            "no_access", R"({"errorDetail":{"message":"denied: permission_denied: read_package"}})", errc::forbidden, "read_package"},
        failure_case{"no_credentials", R"({"errorDetail":{"message":"Head \"https://r/v2/x\": no basic auth credentials"}})",
            errc::forbidden, "no basic auth"},
        failure_case{"full_disk",
            R"({"errorDetail":{"message":"write /var/lib/docker/tmp/GetImageBlob1: no space left on device"},"error":"write: no space"})",
            errc::runtime_unavailable, "no space left on device"},
        failure_case{"disk_permission", R"({"errorDetail":{"message":"open /var/lib/docker/tmp/a: permission denied"}})",
            errc::runtime_unavailable, "permission denied"},
        failure_case{"pull_limit", R"({"errorDetail":{"message":"toomanyrequests: You have reached your pull rate limit."}})",
            errc::runtime_unavailable, "pull rate limit"},
        failure_case{"registry_away", R"({"errorDetail":{"message":"dial tcp: lookup r on 10.0.0.1:53: no such host"}})",
            errc::runtime_unavailable, "no such host"},
        failure_case{"without_words", R"({"errorDetail":{"code":5}})", errc::runtime_unavailable, "does not say why"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::docker
