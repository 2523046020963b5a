#include "adapters/host/used_networks.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caisson {

namespace {

unique_fd some_file() { return unique_fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

/// A process that is in namespaces of its own, and waits there.
class child {
public:
    explicit child(int namespaces)
    {
        // Not fork() and unshare(): the thread sanitizer's fork() starts a thread in the child, and what has threads gets no user namespace
        // (unshare(2)).
        pid_ = static_cast<pid_t>(::syscall(SYS_clone, namespaces | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
        if (pid_ == 0)
            for (;;)
                ::pause();
        if (pid_ > 0)
            handle_ = process_handle::open_running(pid_);
    }
    ~child() { end(); }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    bool is_made() const { return handle_.has_value(); }
    const process_handle& handle() const { return *handle_; }
    pid_t pid() const { return pid_; }
    void end()
    {
        if (pid_ > 0 && ::kill(pid_, SIGKILL) == 0)
            ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

private:
    pid_t pid_ = -1;
    std::optional<process_handle> handle_;
};

ino_t inode_of(const unique_fd& file)
{
    struct stat about{};
    EXPECT_EQ(::fstat(file.get(), &about), 0);
    return about.st_ino;
}

TEST(UsedNetworks, AreThoseThatOnlyRootCouldSetUp)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "needs root: network namespaces";
    child ours(CLONE_NEWNET);
    child its_own(CLONE_NEWUSER | CLONE_NEWNET);
    const child none(0);
    ASSERT_TRUE(ours.is_made() && its_own.is_made() && none.is_made());
    const auto network = used_networks::of(ours.handle());
    ASSERT_TRUE(network);
    struct stat expected{};
    ASSERT_EQ(::stat(("/proc/" + std::to_string(ours.pid()) + "/ns/net").c_str(), &expected), 0);
    EXPECT_EQ(inode_of(network), expected.st_ino);
    EXPECT_FALSE(used_networks::of(its_own.handle())) << "its programs may have set it up";
    EXPECT_FALSE(used_networks::of(none.handle())) << "it is the host's";
    ours.end();
    EXPECT_FALSE(used_networks::of(ours.handle()));
}

constexpr steady_time begin(std::chrono::hours(1));
constexpr auto some_time = used_networks::lies_for;

TEST(UsedNetworks, KeepsAsManyAsItMay)
{
    used_networks kept(2);
    EXPECT_FALSE(kept.take(begin));
    kept.give(unique_fd(), begin);
    EXPECT_EQ(kept.size(), 0U) << "there was none";
    for (int i = 0; i < 3; ++i)
        kept.give(some_file(), begin);
    EXPECT_EQ(kept.size(), 2U);
    EXPECT_TRUE(kept.take(begin + some_time));
    EXPECT_TRUE(kept.take(begin + some_time));
    EXPECT_FALSE(kept.take(begin + some_time));
}

TEST(UsedNetworks, LieForAWhileAndTheOldestIsTheNext)
{
    used_networks kept(2);
    auto first = some_file();
    const int number = first.get();
    kept.give(std::move(first), begin);
    kept.give(some_file(), begin + some_time / 2);
    EXPECT_FALSE(kept.take(begin + some_time - std::chrono::milliseconds(1)));
    EXPECT_EQ(kept.take(begin + some_time).get(), number);
    EXPECT_FALSE(kept.take(begin + some_time)) << "the other was given later";
    EXPECT_TRUE(kept.take(begin + 2 * some_time));
}

TEST(UsedNetworks, LetsGoOfWhatIsNotNeeded)
{
    used_networks kept(8);
    auto now = begin;
    for (int i = 0; i < 4; ++i)
        kept.give(some_file(), now);
    kept.tidy(now);
    EXPECT_EQ(kept.size(), 4U) << "they were given just now";
    now += used_networks::kept_for - std::chrono::seconds(1);
    kept.give(kept.take(now), now);
    kept.tidy(now);
    EXPECT_EQ(kept.size(), 4U) << "it is too soon";
    now += std::chrono::seconds(1);
    kept.tidy(now);
    EXPECT_EQ(kept.size(), 1U) << "one was needed meanwhile";
    now += used_networks::kept_for;
    kept.tidy(now);
    EXPECT_EQ(kept.size(), 0U);
}

}    // namespace

}    // namespace caisson
