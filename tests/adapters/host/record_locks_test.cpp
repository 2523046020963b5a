#include "adapters/host/record_locks.hpp"

#include "adapters/host/lock_looks.hpp"
#include "core/base/unique_fd.hpp"
#include "tests/adapters/host/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <future>
#include <latch>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace caisson {
namespace {

constexpr std::int64_t all = 1'000'000;
constexpr std::chrono::hours unlimited(1);
constexpr std::chrono::seconds patience(100);

/// A file with so many locks.
unique_fd locked_file(const std::string& path, int locks)
{
    unique_fd file(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    for (int i = 0; i < locks; ++i) {
        struct flock lock{};
        lock.l_type = F_WRLCK;
        lock.l_start = 2 * i;
        lock.l_len = 1;
        EXPECT_EQ(::fcntl(file.get(), F_SETLK, &lock), 0);
    }
    return file;
}

class RecordLocks : public ::testing::Test {
protected:
    std::string path(const char* name) const { return scratch_.path() + "/" + name; }

    /// A look that waits for `go_`.
    lock_looks::process_source waits()
    {
        return [this, ready = go_.get_future().share()] {
            ready.wait();
            return own_;
        };
    }

    const caisson::testing::scratch_directory scratch_;
    std::promise<void> go_;
    const std::set<pid_t> own_{::getpid()};
};

TEST_F(RecordLocks, OfAllFilesAreCounted)
{
    const auto before = count_record_locks(own_, all, unlimited);
    const auto one = locked_file(path("one"), 3'000);    // more than one reading
    const auto other = locked_file(path("other"), 7);
    EXPECT_EQ(count_record_locks(own_, all, unlimited), before + 3'007);
}

TEST_F(RecordLocks, AreCountedUntilThereAreEnough)
{
    const auto one = locked_file(path("one"), 50);
    const auto other = locked_file(path("other"), 50);
    EXPECT_EQ(count_record_locks(own_, 0, unlimited), 0);
    EXPECT_GE(count_record_locks(own_, 1, unlimited), 1);
    EXPECT_EQ(count_record_locks(own_, all, std::chrono::seconds(0)), all) << "what takes too long to look at";
}

TEST_F(RecordLocks, OfAThreadWithDescriptorsOfItsOwnAreCounted)
{
    const auto before = count_record_locks(own_, all, unlimited);
    std::latch locked(1);
    std::latch seen(1);
    std::jthread sharing([&] { seen.wait(); });    // its table is the process's
    std::jthread apart([&] {
        EXPECT_EQ(::unshare(CLONE_FILES), 0);
        const auto file = locked_file(path("one"), 20);
        locked.count_down();
        seen.wait();
    });
    locked.wait();
    const auto counted = count_record_locks(own_, all, unlimited);
    seen.count_down();
    EXPECT_GE(counted, before + 20);
    EXPECT_LE(counted, 2 * before + 20) << "what was locked before, by either table; those that are shared once";
}

TEST_F(RecordLocks, OfNobodyAreNone)
{
    EXPECT_EQ(count_record_locks({}, all, unlimited), 0);
    EXPECT_EQ(count_record_locks({0, 2'000'000'000}, all, unlimited), 0) << "no such processes";
}

TEST_F(RecordLocks, AreLookedAtOneLookAtATime)
{
    const auto file = locked_file(path("one"), 30);
    worker_pool workers("looks", 1);
    lock_looks looks;
    const auto seen = std::make_shared<std::atomic<std::int64_t>>();
    const auto waits = this->waits();
    EXPECT_TRUE(looks.try_begin(workers, waits, all, seen, patience));
    EXPECT_FALSE(looks.try_begin(workers, waits, all, seen, patience)) << "one goes on";
    go_.set_value();
    workers.join();
    EXPECT_GE(*seen, 30);
}

TEST_F(RecordLocks, AreLookedAtForWhoWaitsLongest)
{
    worker_pool workers("looks", 1);
    lock_looks looks;
    const auto own = [this] { return own_; };
    const auto waits = this->waits();
    const auto first = std::make_shared<std::atomic<std::int64_t>>(-1);
    const auto second = std::make_shared<std::atomic<std::int64_t>>(-1);
    EXPECT_TRUE(looks.try_begin(workers, waits, all, first, patience));
    EXPECT_FALSE(looks.try_begin(workers, own, all, second, patience));
    EXPECT_FALSE(looks.try_begin(workers, own, all, first, patience)) << "again, behind the other";
    go_.set_value();
    while (!looks.try_begin(workers, own, all, second, patience))    // the pause
        EXPECT_FALSE(looks.try_begin(workers, own, all, first, patience));
    workers.join();
    EXPECT_GE(*second, 0);
}

TEST_F(RecordLocks, AreNotWaitedForByWhoIsGoneOrStoppedAsking)
{
    worker_pool workers("looks", 1);
    lock_looks looks;
    const auto own = [this] { return own_; };
    auto gone = std::make_shared<std::atomic<std::int64_t>>();
    const auto quiet = std::make_shared<std::atomic<std::int64_t>>();
    const auto last = std::make_shared<std::atomic<std::int64_t>>(-1);
    const auto waits = this->waits();
    EXPECT_TRUE(looks.try_begin(workers, waits, all, std::make_shared<std::atomic<std::int64_t>>(), patience));
    EXPECT_FALSE(looks.try_begin(workers, own, all, gone, patience));
    EXPECT_FALSE(looks.try_begin(workers, own, all, quiet, std::chrono::milliseconds(0)));
    gone.reset();
    go_.set_value();
    while (!looks.try_begin(workers, own, all, last, patience)) { }    // the pause
    workers.join();
    EXPECT_GE(*last, 0);
}

TEST_F(RecordLocks, AreLookedAtAgainAndAgain)
{
    worker_pool workers("looks", 2);
    lock_looks looks;
    const auto seen = std::make_shared<std::atomic<std::int64_t>>();
    for (int times = 0; times < 200; ++times)
        while (!looks.try_begin(workers, [] { return std::set<pid_t>(); }, all, seen, patience)) { }
    workers.join();
}

TEST_F(RecordLocks, OfALookThatFailsAreNone)
{
    worker_pool workers("looks", 1);
    lock_looks looks;
    const auto seen = std::make_shared<std::atomic<std::int64_t>>(5);
    EXPECT_TRUE(looks.try_begin(workers, []() -> std::set<pid_t> { throw std::bad_alloc(); }, all, seen, patience));
    workers.join();
    EXPECT_EQ(*seen, 0);
}

}    // namespace
}    // namespace caisson
