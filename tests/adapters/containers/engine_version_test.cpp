#include "adapters/engine/engine_info.hpp"
#include "adapters/engine/engine_version.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

namespace caisson::docker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ApiVersion, IsReadAndCompared)
{
    EXPECT_EQ(api_version::parse("1.41"), (api_version{1, 41}));
    EXPECT_LT((api_version{1, 9}), (api_version{1, 41}));
    EXPECT_LT((api_version{1, 41}), (api_version{2, 0}));
    EXPECT_EQ((api_version{1, 100}).str(), "1.100");
    for (const auto* bad : {"", "1", "1.", ".41", "1.4x", "-1.4", "1.-4", "1.41.2", "v1.41", "1.99999999999"})
        EXPECT_EQ(api_version::parse(bad), std::nullopt) << bad;
}

struct spoken_case {
    std::string_view name;
    std::string json;
    std::string_view want;    // the version, or a part of the error
    bool good;
};
class Spoken : public ::testing::TestWithParam<spoken_case> { };
TEST_P(Spoken, IsWhatBothSidesKnow)
{
    const auto& c = GetParam();
    const auto engine = engine_version_from(boost::json::parse(c.json));
    const auto got = engine.has_error() ? result<api_version>(engine.error()) : spoken_with(*engine);
    ASSERT_EQ(got.has_value(), c.good);
    if (c.good)
        EXPECT_EQ(got->str(), c.want);
    else
        EXPECT_THAT(got.error().detail, HasSubstr(c.want));
    EXPECT_TRUE(c.good || got.error().code == errc::runtime_unavailable);
}
INSTANTIATE_TEST_SUITE_P(All, Spoken,
    ::testing::Values(spoken_case{"same", R"({"Version":"20.10","ApiVersion":"1.41","MinAPIVersion":"1.12"})", "1.41", true},
        spoken_case{"older", R"({"Version":"19.03","ApiVersion":"1.40","MinAPIVersion":"1.12"})", "1.40", true},
        spoken_case{"newer", R"({"Version":"27.0","ApiVersion":"1.47","MinAPIVersion":"1.24"})", "1.41", true},
        spoken_case{"newer_only", R"({"Version":"29.0","ApiVersion":"1.52","MinAPIVersion":"1.44"})", "1.44", true},
        spoken_case{"without_oldest", R"({"ApiVersion":"1.43"})", "1.43", true},
        spoken_case{
            "too_old", R"({"Version":"1.12.6","ApiVersion":"1.24","MinAPIVersion":"1.12"})", "too old: it is 1.12.6 with API 1.24", false},
        spoken_case{"just_too_old", R"({"Version":"18.09","ApiVersion":"1.39"})", "API 1.40 (Docker 19.03) is the oldest", false},
        spoken_case{"no_version", R"({"name":"something"})", "no Docker engine", false},
        spoken_case{"no_object", "[]", "no Docker engine", false},
        spoken_case{"number", R"({"ApiVersion":1.41})", "no Docker engine", false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(EngineInfo, IsReadOfWhatItTells)
{
    const engine_version of{"20.10.24", {1, 41}, {1, 12}, "amd64"};
    const auto json =
        boost::json::parse(R"({"MemTotal":1024,"CgroupVersion":"2","LiveRestoreEnabled":true,"Runtimes":{"runc":{},"runsc":{}}})");
    const auto got = engine_info_from(json, of, {1, 40}).value();
    EXPECT_EQ(got.version, "20.10.24");
    EXPECT_EQ(got.api_version, "1.40");
    EXPECT_EQ(got.architecture, "amd64");
    EXPECT_EQ(got.cgroup_version, "2");
    EXPECT_THAT(got.runtimes, ElementsAre("runc", "runsc"));
    EXPECT_TRUE(got.live_restore);
    EXPECT_EQ(got.memory_bytes, 1024);
}

TEST(EngineInfo, OfAnOlderEngineSaysLess)
{
    const auto got = engine_info_from(boost::json::parse(R"({"MemTotal":1})"), {}, {1, 40}).value();
    EXPECT_EQ(got.cgroup_version, "1");
    EXPECT_FALSE(got.live_restore);
    EXPECT_TRUE(got.runtimes.empty());
}

TEST(EngineInfo, RefusesWhatNoEngineSays)
{
    for (const auto* foreign : {"{}", "[]", "null", R"({"MemTotal":"much"})"})
        EXPECT_TRUE(engine_info_from(boost::json::parse(foreign), {}, {1, 41}).has_error()) << foreign;
}

}    // namespace
}    // namespace caisson::docker
