#include "adapters/containers/engine_record.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;

TEST(EngineRecord, ComesBackAsItWas)
{
    engine_record kept{
        .runtime = "gvisor", .container = "c1", .work_directory = "/sandbox", .image = "busybox", .image_digest = "sha256:1"};
    kept.cpu_before_us = 123;
    kept.stamp(steady_time(5s));
    const auto found = engine_record::from_json(kept.to_json());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->runtime, "gvisor");
    EXPECT_EQ(found->container, "c1");
    EXPECT_EQ(found->work_directory, "/sandbox");
    EXPECT_EQ(found->image, "busybox");
    EXPECT_EQ(found->image_digest, "sha256:1");
    EXPECT_EQ(found->cpu_before_us, 123);
    EXPECT_EQ(found->made_at(), steady_time(5s));
}

TEST(EngineRecord, OfAnotherBootHasNoTime)
{
    engine_record kept;
    EXPECT_FALSE(kept.made_at());
    kept.stamp(steady_time(5s));
    kept.boot_id = "00000000-0000-0000-0000-000000000000";
    EXPECT_FALSE(kept.made_at());
}

TEST(EngineRecord, WhatIsNoneIsNone)
{
    for (const char* text : {"", "{}", "[]", "nonsense", R"({"runtime":1})"})
        EXPECT_FALSE(engine_record::from_json(text)) << text;
}

}    // namespace
}    // namespace caisson
