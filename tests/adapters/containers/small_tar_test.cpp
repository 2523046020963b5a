#include "adapters/engine/small_tar.hpp"

#include "tests/adapters/containers/busybox.hpp"

#include <gtest/gtest.h>

namespace caisson::docker {
namespace {

TEST(SmallTar, HoldsOneProgram)
{
    const std::string content(1234, 'x');
    const auto tar = tar_of_program("agent", content);
    EXPECT_EQ(tar.size() % 512, 0u);
    const auto members = caisson::testing::tar_members(tar);
    ASSERT_EQ(members.size(), 1u);
    EXPECT_EQ(members[0].name, "agent");
    EXPECT_EQ(members[0].content, content);
}

TEST(SmallTar, PutsLongNamesBeforeTheirMember)
{
    for (const std::size_t length : {99, 100, 987, 988, 989, 2'000}) {
        const std::string name(length, 'n');
        const auto members = caisson::testing::tar_members(tar_of_program(name, "x"));
        ASSERT_EQ(members.size(), length > 99 ? 2u : 1u);
        EXPECT_EQ(members.back().content, "x");
        if (length == 99) {
            EXPECT_EQ(members[0].name, name);
            continue;
        }
        const auto& record = members[0].content;
        EXPECT_EQ(record, std::to_string(record.size()) + " path=" + name + "\n");
    }
}

TEST(SmallTar, OfAnEmptyFile)
{
    const auto members = caisson::testing::tar_members(tar_of_program("whole", ""));
    ASSERT_EQ(members.size(), 1u);
    EXPECT_EQ(members[0].content, "");
}

}    // namespace
}    // namespace caisson::docker
