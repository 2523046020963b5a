#include "app/server/process_limits.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

TEST(ProcessLimits, WhatIsPreparedLeavesDescriptorsForTheRest)
{
    server_config config;
    config.bubblewrap.max_prepared = 64;
    EXPECT_EQ(within_host(config, 1 << 20).bubblewrap.max_prepared, 64);
    EXPECT_EQ(within_host(config, 1'024).bubblewrap.max_prepared, 16);
    EXPECT_EQ(within_host(config, 50).bubblewrap.max_prepared, 0);
    config.bubblewrap.max_prepared = 3;
    EXPECT_EQ(within_host(config, 1'024).bubblewrap.max_prepared, 3);
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
