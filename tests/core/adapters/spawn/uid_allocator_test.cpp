#include "core/adapters/spawn/uid_allocator.hpp"

#include "tests/core/adapters/spawn/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>

namespace caisson {

namespace {

class UidAllocator : public ::testing::Test {
protected:
    caisson::testing::scratch_directory scratch;
    std::string locks = scratch.path() + "/a/locks";
    uid_allocator uids{locks, 100, 101};
};

TEST_F(UidAllocator, NeverGivesOneTwice)
{
    const auto first = uids.acquire();
    const auto second = uids.acquire();
    ASSERT_TRUE(first.has_value() && second.has_value());
    EXPECT_NE(first->uid(), second->uid());
    const auto third = uids.acquire();
    ASSERT_TRUE(third.has_error());
    EXPECT_EQ(third.error().code, errc::runtime_unavailable);
}

TEST_F(UidAllocator, SharesTheDirectoryWithOtherServers)
{
    uid_allocator other(locks, 100, 101);
    const auto mine = uids.acquire();
    const auto theirs = other.acquire();
    ASSERT_TRUE(mine.has_value() && theirs.has_value());
    EXPECT_NE(mine->uid(), theirs->uid());
}

TEST_F(UidAllocator, GivesAReleasedOneAgainAndLeavesNoFile)
{
    uid_allocator one(locks, 100, 100);
    auto lease = one.acquire();
    ASSERT_TRUE(lease.has_value());
    EXPECT_TRUE(one.acquire().has_error());
    lease->release();
    EXPECT_TRUE(std::filesystem::is_empty(locks));
    EXPECT_TRUE(one.acquire().has_value());
}

TEST_F(UidAllocator, StaysTakenWhileAnybodyHasTheFileOpen)
{
    uid_allocator one(locks, 100, 100);
    unique_fd inherited;
    {
        const auto lease = one.acquire();
        ASSERT_TRUE(lease.has_value());
        inherited.reset(::fcntl(lease->descriptor(), F_DUPFD_CLOEXEC, 0));
    }
    EXPECT_TRUE(one.acquire().has_error());
    one.clear(100);
    EXPECT_FALSE(std::filesystem::is_empty(locks)) << "clear() must leave a lock that is held";
    inherited.reset();
    one.clear(100);
    EXPECT_TRUE(std::filesystem::is_empty(locks));
    EXPECT_TRUE(one.acquire().has_value());
}

TEST_F(UidAllocator, SaysWhenItsDirectoryCannotBeUsed)
{
    uid_allocator nowhere("/proc/nowhere", 100, 101);
    const auto lease = nowhere.acquire();
    ASSERT_TRUE(lease.has_error());
    EXPECT_EQ(lease.error().code, errc::runtime_unavailable);
}

}    // namespace

}    // namespace caisson
