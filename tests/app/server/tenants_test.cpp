#include "app/server/tenants.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

struct places_case {
    const char* name;
    std::int64_t max_running;
    std::int64_t tenant_max_running;
    std::size_t tenants;
    std::size_t places;
};

class PlacesOfTenant : public ::testing::TestWithParam<places_case> { };

TEST_P(PlacesOfTenant, LeaveSomeToOthersWhereThereAreOthers)
{
    const auto& c = GetParam();
    execution_config config;
    config.max_running = c.max_running;
    config.tenant_max_running = c.tenant_max_running;
    EXPECT_EQ(places_of_tenant(config, c.tenants), c.places);
}
INSTANTIATE_TEST_SUITE_P(Cases, PlacesOfTenant,
    ::testing::Values(places_case{"nobody", 4, 0, 0, SIZE_MAX}, places_case{"alone", 4, 0, 1, SIZE_MAX}, places_case{"two", 4, 0, 2, 3},
        places_case{"of_sixteen", 16, 0, 2, 12}, places_case{"of_two", 2, 0, 2, 1}, places_case{"of_one", 1, 0, 2, SIZE_MAX},
        places_case{"chosen", 4, 4, 2, 4}, places_case{"chosen_less", 16, 2, 1, 2}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MemoryOfTenant, LeavesSomeToOthersWhereThereAreOthers)
{
    execution_config config;
    EXPECT_EQ(memory_of_tenant(config, 2), UINT64_MAX) << "the host's is not known";
    config.max_memory_bytes = 1'000;
    EXPECT_EQ(memory_of_tenant(config, 1), UINT64_MAX);
    EXPECT_EQ(memory_of_tenant(config, 2), 750U);
}

struct owners_case {
    const char* name;
    std::int64_t max_connections;
    std::int64_t tenant_max_connections;
    std::size_t tenants;
    std::size_t connections;
    bool has_all_bodies;
};

class BoundsOfOwners : public ::testing::TestWithParam<owners_case> { };

TEST_P(BoundsOfOwners, LeaveSomeToOthersWhereThereAreOthers)
{
    const auto& c = GetParam();
    http_config config;
    config.max_connections = c.max_connections;
    config.tenant_max_connections = c.tenant_max_connections;
    const auto bounds = bounds_of_owners(config, c.tenants);
    EXPECT_EQ(bounds.connections, c.connections);
    EXPECT_EQ(bounds.bodies_bytes, c.has_all_bodies ? UINT64_MAX : 384ULL << 20);
}
INSTANTIATE_TEST_SUITE_P(Cases, BoundsOfOwners,
    ::testing::Values(owners_case{"nobody", 1'024, 0, 0, SIZE_MAX, true}, owners_case{"alone", 1'024, 0, 1, SIZE_MAX, true},
        owners_case{"two", 1'024, 0, 2, 768, false}, owners_case{"of_one", 1, 0, 2, SIZE_MAX, false},
        owners_case{"chosen", 1'024, 1'024, 2, 1'024, false}, owners_case{"chosen_alone", 1'024, 10, 1, 10, true}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
