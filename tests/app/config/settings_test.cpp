#include "app/config/load.hpp"
#include "app/config/settings.hpp"

#include <gmock/gmock.h>

#include <set>

namespace caisson {
namespace {

TEST(Settings, KeysAndVariablesAreUnique)
{
    draft_config draft;
    std::set<std::string> keys;
    std::set<std::string> variables;
    for (const auto& one : settings_of(draft)) {
        EXPECT_TRUE(keys.insert(one.key).second) << one.key;
        EXPECT_TRUE(variables.insert(environment_name(one.key)).second) << one.key;
        EXPECT_FALSE(one.about.empty()) << one.key;
    }
}

TEST(Settings, NoKeyIsAGroupOfAnother)
{
    draft_config draft;
    const auto all = settings_of(draft);
    for (const auto& one : all)
        for (const auto& other : all)
            EXPECT_FALSE(other.key.starts_with(one.key + ".")) << one.key;
}

TEST(Settings, EveryDefaultIsAllowed)
{
    draft_config draft;
    draft.config.data_dir = "/d";
    for (const auto& one : settings_of(draft)) {
        const auto value = parse_setting(one.kind, one.shown());
        ASSERT_TRUE(value.has_value()) << one.key;
        if (!one.shown().empty()) {
            EXPECT_EQ(one.apply(*value), std::nullopt) << one.key;
        }
    }
}

TEST(Settings, VariablesFollowTheKey)
{
    EXPECT_EQ(environment_name("listen"), "CAISSON_LISTEN");
    EXPECT_EQ(environment_name("limits.wall_ms.max"), "CAISSON_LIMITS_WALL_MS_MAX");
}

TEST(Settings, AllAreDescribed)
{
    config_sources sources;
    sources.host = {.is_root = true, .cores = 2, .executable_dir = "/x"};
    const auto text = describe_settings(sources);
    EXPECT_THAT(text, ::testing::HasSubstr("listen = 127.0.0.1:8320\n"));
    EXPECT_THAT(text, ::testing::HasSubstr("CAISSON_RUNTIMES_PROCESS_I_KNOW_THIS_RUNS_CODE_WITHOUT_ISOLATION"));
    EXPECT_THAT(text, ::testing::HasSubstr("ready_file = (not set)\n"));
}

}    // namespace
}    // namespace caisson
