#include "tests/storage/database_fixture.hpp"

#include <thread>

/// What becomes of a writer's log (-wal).
namespace caisson::testing {

namespace {

using sqlite::connection;

class LogOfWriter : public DatabaseTest { };

struct log_case {
    std::string name;
    std::int64_t burst_bytes;
    std::chrono::milliseconds quiet;
    bool moved;    // the log, into the file
};
void PrintTo(const log_case& c, std::ostream* out) { *out << c.name; }

class WriterLog : public DatabaseTest, public ::testing::WithParamInterface<log_case> { };
/// Each commit is 10 pages in the log, which counts as long with 20.
TEST_P(WriterLog, GoesIntoTheFileWhenItIsLong)
{
    const auto& c = GetParam();
    open({.log_bytes = 20 * 4'096, .burst_log_bytes = c.burst_bytes, .quiet = c.quiet});
    const auto before = std::filesystem::file_size(dir_ / "t.db");
    const auto insert = [](connection& db) { db.prepare("INSERT INTO t (n, b) VALUES ((SELECT count(*) FROM t), zeroblob(36000))").run(); };
    for (int i = 0; i < 5; ++i)
        run_task(context_, db_->write(insert));
    run_task(context_, db_->write([](connection&) { }));    // what follows a commit is done when the next one runs
    EXPECT_EQ(std::filesystem::file_size(dir_ / "t.db") > before, c.moved);
    EXPECT_EQ(rows(), 5);
}
INSTANTIATE_TEST_SUITE_P(Cases, WriterLog,
    ::testing::Values(log_case{"at_once", 0, std::chrono::hours(1), true}, log_case{"held_back", 1 << 20, std::chrono::hours(1), false},
        log_case{"at_the_end_of_a_burst_s_bound", 40 * 4'096, std::chrono::hours(1), true},
        log_case{"not_on_a_disk_with_little_room", std::int64_t{1} << 60, std::chrono::hours(1), true}),
    [](const auto& info) { return info.param.name; });

TEST_F(LogOfWriter, AHeldBackLogGoesIntoTheFileWhenNothingIsWritten)
{
    open({.log_bytes = 1, .burst_log_bytes = 1 << 20, .quiet = std::chrono::milliseconds(0)});
    const auto before = std::filesystem::file_size(dir_ / "t.db");
    run_task(context_, db_->write([](connection& db) { db.prepare("INSERT INTO t (n, b) VALUES (1, zeroblob(36000))").run(); }));
    const auto given_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::filesystem::file_size(dir_ / "t.db") == before && std::chrono::steady_clock::now() < given_up)
        std::this_thread::yield();
    EXPECT_GT(std::filesystem::file_size(dir_ / "t.db"), before);
    EXPECT_EQ(rows(), 1);
}

TEST_F(LogOfWriter, MakesTheLogLargerAheadWhenNothingIsWritten)
{
    constexpr std::uintmax_t wanted = (5 << 20) / 2;
    open({.quiet = std::chrono::milliseconds(0), .ahead_log_bytes = wanted});
    run_task(context_, db_->write(inserting(1)));
    const auto given_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::filesystem::file_size(dir_ / "t.db-wal") < wanted && std::chrono::steady_clock::now() < given_up)
        std::this_thread::yield();
    EXPECT_EQ(std::filesystem::file_size(dir_ / "t.db-wal"), wanted);
    run_task(context_, db_->write(inserting(2)));
    EXPECT_EQ(rows(), 2);
    EXPECT_EQ(std::filesystem::file_size(dir_ / "t.db-wal"), wanted);
}

TEST_F(LogOfWriter, LeavesTheLogAsItIsOnADiskWithLittleRoom)
{
    open({.quiet = std::chrono::milliseconds(0), .ahead_log_bytes = std::int64_t{1} << 50});
    run_task(context_, db_->write(inserting(1)));
    const auto before = std::filesystem::file_size(dir_ / "t.db-wal");
    run_task(context_, db_->write([](connection&) { }));    // what follows a commit is done when the next one runs
    EXPECT_EQ(std::filesystem::file_size(dir_ / "t.db-wal"), before);
}

}    // namespace

}    // namespace caisson::testing
