#include "tests/app/config/load_fixture.hpp"

namespace caisson {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using LoadMemory = testing::config_test;

constexpr std::int64_t gib = 1LL << 30;

TEST_F(LoadMemory, MemoryFollowsFromTheHosts)
{
    sources_.host.memory_bytes = 16 * gib;
    auto config = good();
    EXPECT_EQ(config.executions.max_memory_bytes, 12 * gib);
    EXPECT_EQ(config.executions.groups_memory_bytes, 14 * gib);
    EXPECT_EQ(config.limits.memory_bytes.max, 4 * gib);
    EXPECT_EQ(config.limits.disk_bytes.max, 4 * gib);
    EXPECT_EQ(config.limits.memory_bytes.def, 512LL << 20);
    EXPECT_THAT(describe_settings(sources_), HasSubstr("limits.memory_bytes.max = 4294967296"));
    sources_.host.memory_bytes = gib;
    config = good();
    EXPECT_EQ(config.limits.memory_bytes.max, 256LL << 20);
    EXPECT_EQ(config.limits.memory_bytes.def, 256LL << 20);
    EXPECT_EQ(config.limits.disk_bytes.def, 256LL << 20);
    sources_.host.memory_bytes = 1'024 * gib;
    EXPECT_EQ(good().limits.memory_bytes.max, 16 * gib);
}

TEST_F(LoadMemory, MemoryThatIsChosenIsWhatOtherMemoryFollowsFrom)
{
    sources_.host.memory_bytes = 16 * gib;
    sources_.flags = {{"--set", "executions.max_memory_bytes", "6442450944"}};
    auto config = good();
    EXPECT_EQ(config.limits.memory_bytes.max, 2 * gib);
    EXPECT_EQ(config.executions.groups_memory_bytes, 7 * gib);
    sources_.flags = {{"--set", "executions.max_memory_bytes", "68719476736"}};
    config = good();
    EXPECT_EQ(config.limits.memory_bytes.max, 16 * gib) << "more may be promised than there is";
    EXPECT_EQ(config.executions.groups_memory_bytes, 14 * gib) << "but not taken";
}

TEST_F(LoadMemory, WhatIsSetIsMadeRoomFor)
{
    sources_.host.memory_bytes = 16 * gib;
    sources_.flags = {{"--set", "limits.memory_bytes.max", "10737418240"}};
    auto config = good();
    EXPECT_EQ(config.limits.memory_bytes.max, 10 * gib);
    EXPECT_EQ(config.limits.disk_bytes.max, 2 * gib) << "of 12";
    sources_.flags = {{"--set", "limits.disk_bytes.max", "10737418240"}};
    EXPECT_EQ(good().limits.memory_bytes.max, 2 * gib);
    sources_.flags = {{"--set", "limits.memory_bytes.default", "8589934592"}};
    config = good();
    EXPECT_EQ(config.limits.memory_bytes.max, 8 * gib);
    EXPECT_EQ(config.limits.disk_bytes.max, 4 * gib);
    sources_.flags = {{"--set", "limits.memory_bytes.default", "9663676416"}};
    EXPECT_EQ(good().limits.disk_bytes.max, 3 * gib);
    sources_.flags = {{"--set", "limits.memory_bytes.max", "12884901887"}};
    EXPECT_EQ(mistakes().size(), 1U) << "it leaves no disk";
    sources_.flags = {{"--set", "limits.memory_bytes.max", "17179869184"}};
    EXPECT_THAT(mistakes(), ElementsAre(HasSubstr("must not be above executions.max_memory_bytes 12884901888 together")))
        << "16 GiB are more than all";
}

TEST_F(LoadMemory, WithoutABoundTheGroupsStillHaveOne)
{
    sources_.host.memory_bytes = 16 * gib;
    sources_.flags = {{"--set", "executions.max_memory_bytes", "0"}};
    const auto config = good();
    EXPECT_EQ(config.executions.groups_memory_bytes, 14 * gib);
    EXPECT_EQ(config.limits.memory_bytes.max, 16 * gib);
}

TEST_F(LoadMemory, WhereTheHostsMemoryIsNotKnownNothingIsBounded)
{
    const auto config = good();
    EXPECT_EQ(config.executions.max_memory_bytes, 0);
    EXPECT_EQ(config.executions.groups_memory_bytes, 0);
    EXPECT_EQ(config.limits.memory_bytes.max, 16 * gib);
}

}    // namespace
}    // namespace caisson
