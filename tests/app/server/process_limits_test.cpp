#include "app/server/process_limits.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

TEST(ProcessLimits, WhatWaitsLeavesDescriptorsForTheRest)
{
    server_config config;
    config.bubblewrap.max_prepared = 64;
    config.pool.max = 32;
    const auto many = within_host(config, 1 << 20);
    EXPECT_EQ(many.bubblewrap.max_prepared, 64);
    EXPECT_EQ(many.pool.max, 32);
    EXPECT_EQ(many.pool.max_put_off, 64);
    const auto few = within_host(config, 1'024);
    EXPECT_EQ(few.bubblewrap.max_prepared, 12);
    EXPECT_EQ(few.pool.max, 8);
    EXPECT_EQ(few.pool.max_put_off, 8);
    const auto none = within_host(config, 50);
    EXPECT_EQ(none.bubblewrap.max_prepared, 0);
    EXPECT_EQ(none.pool.max, 0);
    EXPECT_EQ(none.pool.max_put_off, 0);
    config.bubblewrap.max_prepared = 3;
    EXPECT_EQ(within_host(config, 1'024).bubblewrap.max_prepared, 3);
}

TEST(ProcessLimits, WhatWaitsLeavesUidsForTheRest)
{
    server_config config;
    config.pool.max = 32;
    config.bubblewrap.uid_count = 80;
    EXPECT_EQ(within_host(config, 1 << 20).pool.max, 20);
    EXPECT_EQ(within_host(config, 1 << 20).pool.max_put_off, 10);
}

TEST(ProcessLimits, NoProgramMayOpenMoreFilesThanTheServer)
{
    server_config config;
    const auto& files = within_host(config, 100).limits.open_files;
    EXPECT_EQ(files.max, 100);
    EXPECT_LE(files.def, 100);
    EXPECT_LE(files.min, 100);
}

}    // namespace
}    // namespace caisson
