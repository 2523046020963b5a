#include "adapters/host/uid_allocator.hpp"

#include "tests/adapters/host/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace caisson {

namespace {

constexpr uid_t first_uid = 4'000'000'100;    // no process has it, nor the next

class UidAllocator : public ::testing::Test {
protected:
    caisson::testing::scratch_directory scratch;
    std::string locks = scratch.path() + "/a/locks";
    uid_allocator uids{locks, first_uid, first_uid + 1};

    static uid_owner owner(char last = '1')
    {
        return {"inst", "/data", sandbox_id::from_trusted("sbx_0000000000000000000000000" + std::string(1, last)), ""};
    }
    /// A lock as a server leaves it that ends with its sandbox's removal undone.
    uid_t abandon()
    {
        const auto lease = uids.acquire(owner());
        return lease.value().uid();
    }
    std::string lock_of(uid_t uid) const { return locks + "/" + std::to_string(uid); }
    std::size_t sweep(bool is_left)
    {
        return sweep_uid_locks(locks, [&](const uid_owner& of) {
            asked.push_back(of.sandbox.str());
            return is_left;
        });
    }
    std::vector<std::string> asked;
};

TEST_F(UidAllocator, NeverGivesOneTwice)
{
    const auto first = uids.acquire(owner());
    const auto second = uids.acquire(owner());
    ASSERT_TRUE(first.has_value() && second.has_value());
    EXPECT_NE(first->uid(), second->uid());
    const auto third = uids.acquire(owner());
    ASSERT_TRUE(third.has_error());
    EXPECT_EQ(third.error().code, errc::runtime_unavailable);
}

TEST_F(UidAllocator, SharesTheDirectoryWithOtherServers)
{
    uid_allocator other(locks, first_uid, first_uid + 1);
    const auto mine = uids.acquire(owner());
    const auto theirs = other.acquire(owner());
    ASSERT_TRUE(mine.has_value() && theirs.has_value());
    EXPECT_NE(mine->uid(), theirs->uid());
}

TEST_F(UidAllocator, GivesAReleasedOneAgainAndLeavesNoFile)
{
    uid_allocator one(locks, first_uid, first_uid);
    auto lease = one.acquire(owner());
    ASSERT_TRUE(lease.has_value());
    EXPECT_TRUE(one.acquire(owner()).has_error());
    lease->release();
    EXPECT_TRUE(std::filesystem::is_empty(locks));
    EXPECT_TRUE(one.acquire(owner()).has_value());
}

TEST_F(UidAllocator, StaysTakenWhenItsHolderIsGoneUntilItsSandboxIs)
{
    uid_allocator one(locks, first_uid, first_uid);
    unique_fd inherited;
    {
        const auto lease = one.acquire(owner());
        ASSERT_TRUE(lease.has_value());
        inherited.reset(::fcntl(lease->descriptor(), F_DUPFD_CLOEXEC, 0));
    }
    one.clear(first_uid, owner().sandbox);
    EXPECT_FALSE(std::filesystem::is_empty(locks)) << "clear() must leave a lock that is held";
    inherited.reset();
    EXPECT_TRUE(one.acquire(owner()).has_error()) << "nobody said that its sandbox is gone";
    EXPECT_TRUE(uid_allocator(locks, first_uid, first_uid).acquire(owner()).has_error()) << "nor does a next server know";
    one.clear(first_uid, owner('2').sandbox);
    EXPECT_FALSE(std::filesystem::is_empty(locks)) << "it is another sandbox's";
    one.clear(first_uid, owner().sandbox);
    EXPECT_TRUE(std::filesystem::is_empty(locks));
    EXPECT_TRUE(one.acquire(owner()).has_value());
}

/// While it lives, this process can open no file.
class without_descriptors {
public:
    without_descriptors()
    {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~without_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    without_descriptors(const without_descriptors&) = delete;
    without_descriptors& operator=(const without_descriptors&) = delete;

private:
    rlimit before_{};
};

TEST_F(UidAllocator, NamesALockFileThatCannotBeMadeInsteadOfCallingItTaken)
{
    std::filesystem::create_directories(locks);
    {
        const without_descriptors none;
        const auto lease = uids.acquire(owner());
        ASSERT_TRUE(lease.has_error());
        EXPECT_EQ(lease.error().code, errc::runtime_unavailable);
        EXPECT_EQ(lease.error().detail, "a uid lock cannot be taken: " + lock_of(first_uid) + ": Too many open files");
    }
    EXPECT_TRUE(uids.acquire(owner()).has_value());
}

TEST_F(UidAllocator, SweepRemovesLocksOfWhichNothingIsLeft)
{
    abandon();
    EXPECT_EQ(sweep(false), 1U);
    EXPECT_EQ(asked, std::vector<std::string>{owner().sandbox.str()});
    EXPECT_TRUE(std::filesystem::is_empty(locks));
}

TEST_F(UidAllocator, SweepLeavesThoseWhoseSandboxIsThere)
{
    abandon();
    EXPECT_EQ(sweep(true), 0U);
    EXPECT_FALSE(std::filesystem::is_empty(locks));
}

TEST_F(UidAllocator, SweepLeavesThoseThatSomebodyHolds)
{
    const auto held = uids.acquire(owner());
    EXPECT_EQ(sweep(false), 0U);
    EXPECT_TRUE(asked.empty());
    EXPECT_FALSE(std::filesystem::is_empty(locks));
}

TEST_F(UidAllocator, SweepLeavesUidsThatProcessesHave)
{
    uid_allocator mine(locks, ::getuid(), ::getuid());
    ASSERT_TRUE(mine.acquire(owner()).has_value());
    EXPECT_EQ(sweep(false), 0U);
    EXPECT_FALSE(std::filesystem::is_empty(locks));
}

TEST_F(UidAllocator, SweepLeavesWhatAnotherPidNamespaceMadeAndWhatIsNoLock)
{
    std::filesystem::create_directories(locks);
    auto elsewhere = owner();
    elsewhere.pid_namespace = "pid:[1]";
    std::ofstream(lock_of(first_uid)) << elsewhere.to_json();
    std::ofstream(lock_of(first_uid + 1)) << "not ours";
    std::ofstream(locks + "/readme") << "";
    EXPECT_EQ(sweep(false), 0U);
    EXPECT_TRUE(asked.empty());
}

TEST_F(UidAllocator, SweepRemovesThoseOfAServerThatDiedWhileItMadeThem)
{
    std::filesystem::create_directories(locks);
    std::ofstream(lock_of(first_uid)) << "";
    EXPECT_EQ(sweep(true), 1U);
    EXPECT_TRUE(asked.empty());
}

TEST_F(UidAllocator, OwnersAreWrittenDownAndReadBack)
{
    const auto again = uid_owner::from_json(owner().to_json());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->sandbox, owner().sandbox);
    EXPECT_EQ(again->instance, "inst");
    EXPECT_EQ(again->data_dir, "/data");
    for (const char* text : {"", "{}", "nonsense", R"({"instance":"i","data_dir":"d","sandbox":"no id","pid_namespace":""})"})
        EXPECT_FALSE(uid_owner::from_json(text)) << text;
}

TEST_F(UidAllocator, SaysWhenItsDirectoryCannotBeUsed)
{
    uid_allocator nowhere("/proc/nowhere", first_uid, first_uid + 1);
    const auto lease = nowhere.acquire(owner());
    ASSERT_TRUE(lease.has_error());
    EXPECT_EQ(lease.error().code, errc::runtime_unavailable);
}

}    // namespace

}    // namespace caisson
