#include "adapters/host/local_record.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

local_record written_and_read(const local_record& record)
{
    auto read = local_record::from_json(std::make_shared<system_cgroup_io>(), record.to_json());
    return read ? std::move(*read) : local_record();
}

TEST(LocalRecord, KeepsTheContainer)
{
    local_record record{.runtime = "docker"};
    record.stamp(5);
    record.made_of = local_record::container{
        .id = "4f2a", .name = "caisson-x", .image = "python:3.12-slim", .engine_pid = 7, .image_digest = "sha256:1"};
    const auto read = written_and_read(record);
    ASSERT_TRUE(read.made_of);
    EXPECT_EQ(read.made_of->id, "4f2a");
    EXPECT_EQ(read.made_of->name, "caisson-x");
    EXPECT_EQ(read.made_of->image, "python:3.12-slim");
    EXPECT_EQ(read.made_of->engine_pid, 7);
    EXPECT_EQ(read.made_of->image_digest, "sha256:1");
    EXPECT_EQ(read.made_at_ns, 5);
}

TEST(LocalRecord, OthersHaveNone)
{
    local_record record{.runtime = "bubblewrap"};
    EXPECT_FALSE(written_and_read(record).made_of);
    EXPECT_EQ(record.to_json().find("container"), std::string::npos);
}

}    // namespace

}    // namespace caisson
