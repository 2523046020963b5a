#include "core/adapters/spawn/record_locks.hpp"

#include "core/adapters/spawn/lock_looks.hpp"
#include "core/base/unique_fd.hpp"
#include "tests/core/adapters/spawn/scratch_directory.hpp"

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
constexpr std::size_t every = 1'000'000;

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

    const caisson::testing::scratch_directory scratch_;
    const std::set<pid_t> own_{::getpid()};
};

TEST_F(RecordLocks, OfAllFilesAreCounted)
{
    const auto before = count_record_locks(own_, 0, all, every);
    const auto one = locked_file(path("one"), 3'000);    // more than one reading
    const auto other = locked_file(path("other"), 7);
    for (const std::size_t first : {0U, 1U, 2U, 1'000'003U})
        EXPECT_EQ(count_record_locks(own_, first, all, every), before + 3'007);
}

TEST_F(RecordLocks, AreCountedUntilThereAreEnough)
{
    const auto one = locked_file(path("one"), 50);
    const auto other = locked_file(path("other"), 50);
    EXPECT_EQ(count_record_locks(own_, 0, 0, every), 0);
    EXPECT_GE(count_record_locks(own_, 0, 1, every), 1);
    EXPECT_EQ(count_record_locks(own_, 0, all, 0), 0);
}

TEST_F(RecordLocks, OfAThreadWithDescriptorsOfItsOwnAreCounted)
{
    const auto before = count_record_locks(own_, 0, all, every);
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
    const auto counted = count_record_locks(own_, 0, all, every);
    seen.count_down();
    EXPECT_EQ(counted, before + 20);
}

TEST_F(RecordLocks, OfNobodyAreNone)
{
    EXPECT_EQ(count_record_locks({}, 3, all, every), 0);
    EXPECT_EQ(count_record_locks({0, 2'000'000'000}, 3, all, every), 0) << "no such processes";
}

TEST_F(RecordLocks, AreLookedAtOneLookAtATime)
{
    const auto file = locked_file(path("one"), 30);
    worker_pool workers("looks", 1);
    lock_looks looks;
    const auto seen = std::make_shared<std::atomic<std::int64_t>>();
    std::promise<void> go;
    const auto waits = [this, ready = go.get_future().share()] {
        ready.wait();
        return own_;
    };
    EXPECT_TRUE(looks.try_begin(workers, waits, all, seen));
    EXPECT_FALSE(looks.try_begin(workers, waits, all, seen)) << "one goes on";
    go.set_value();
    workers.join();
    EXPECT_GE(*seen, 30);
}

TEST_F(RecordLocks, AreLookedAtForWhoWaitsLongest)
{
    worker_pool workers("looks", 1);
    lock_looks looks;
    const auto own = [this] { return own_; };
    std::promise<void> go;
    const auto waits = [this, ready = go.get_future().share()] {
        ready.wait();
        return own_;
    };
    const auto first = std::make_shared<std::atomic<std::int64_t>>(-1);
    const auto second = std::make_shared<std::atomic<std::int64_t>>(-1);
    EXPECT_TRUE(looks.try_begin(workers, waits, all, first));
    EXPECT_FALSE(looks.try_begin(workers, own, all, second));
    EXPECT_FALSE(looks.try_begin(workers, own, all, first)) << "again, behind the other";
    go.set_value();
    while (!looks.try_begin(workers, own, all, second))    // the pause
        EXPECT_FALSE(looks.try_begin(workers, own, all, first));
    workers.join();
    EXPECT_GE(*second, 0);
}

TEST_F(RecordLocks, OfALookThatFailsAreNone)
{
    worker_pool workers("looks", 1);
    lock_looks looks;
    const auto seen = std::make_shared<std::atomic<std::int64_t>>(5);
    EXPECT_TRUE(looks.try_begin(workers, []() -> std::set<pid_t> { throw std::bad_alloc(); }, all, seen));
    workers.join();
    EXPECT_EQ(*seen, 0);
}

}    // namespace
}    // namespace caisson
