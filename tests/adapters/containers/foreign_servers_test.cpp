#include "adapters/containers/foreign_servers.hpp"

#include <gtest/gtest.h>

namespace caisson::docker {
namespace {

container_summary container(std::string name, std::string instance, container_state state = container_state::running)
{
    return {.id = "c", .name = std::move(name), .state = state, .labels = {{"caisson.instance", std::move(instance)}}};
}

TEST(ForeignServers, AreThoseOfOtherInstances)
{
    const std::vector<container_summary> all{container("caisson-sbx_1", "bb"), container("caisson-sbx_2", "own"),
        container("caisson-sbx_3", "aa"), container("caisson-sbx_4", "bb", container_state::exited),
        container("caisson-sbx_5", "bb", container_state::paused), container("other-sbx_6", "cc"), container("caisson-sbx_7", ""),
        {.id = "c", .name = "caisson-web", .state = container_state::running, .labels = {}}};
    const auto found = foreign_servers_of(all, "caisson-", "own");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].instance, "aa");
    EXPECT_EQ(found[0].containers, 1u);
    EXPECT_EQ(found[1].instance, "bb");
    EXPECT_EQ(found[1].containers, 3u);
    EXPECT_EQ(found[1].running, 2u);
}

TEST(ForeignServers, OfOneThatNeverHadAnInstanceAreAll)
{
    EXPECT_EQ(foreign_servers_of({container("caisson-sbx_1", "aa")}, "caisson-", "").size(), 1u);
    EXPECT_TRUE(foreign_servers_of({}, "caisson-", "").empty());
}

}    // namespace
}    // namespace caisson::docker
