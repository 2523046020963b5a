#include "storage/content/disk_reserve.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/schemas.hpp"
#include "storage/stores/event_store.hpp"
#include "storage/stores/tidying.hpp"
#include "tests/storage/database_fixture.hpp"
#include "tests/storage/fault_vfs.hpp"
#include "tests/storage/log_builder.hpp"
#include "tests/storage/store_contract.hpp"

#include <gmock/gmock.h>

namespace caisson::testing {

namespace {

class Space : public ::testing::Test {
protected:
    void open(std::function<void()> make_room = {})
    {
        db_ = std::make_unique<sqlite::database>(
            dir_ / "events.db", sqlite::events_schema, sqlite::database_options{.make_room = std::move(make_room)});
    }
    void append(int number, int events)
    {
        log_builder log;
        for (int i = 0; i < events; ++i)
            log.out(std::string(60'000, 'x'));
        sqlite_event_store store(*db_, *db_);
        ASSERT_TRUE(run_task(context_, store.append(numbered<execution_id>(number), log.take(), {})).has_value());
    }
    result<void> erase(int number)
    {
        sqlite_event_store store(*db_, *db_);
        return run_task(context_, store.erase(numbered<execution_id>(number)));
    }
    std::int64_t number(std::string_view sql)
    {
        return run_task(context_, db_->read([sql](sqlite::connection& db) { return db.integer(sql); }));
    }
    /// One step of what the writer does when it is idle.
    bool tidy()
    {
        sqlite::connection db(dir_ / "events.db", sqlite::open_mode::read_write);
        return sqlite::tidy_events(db);
    }

    temp_dir dir_;
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
    fault_vfs vfs_;
    std::unique_ptr<sqlite::database> db_;
};

TEST_F(Space, ALargeLogIsGoneAtOnceAndItsRowsGoInSteps)
{
    open();
    append(1, 300);
    append(2, 3);
    ASSERT_TRUE(erase(1).has_value());
    ASSERT_TRUE(erase(1).has_value()) << "a repeat";
    sqlite_event_store store(*db_, *db_);
    EXPECT_EQ(run_task(context_, store.extent(numbered<execution_id>(1))).value().end, log_position());
    EXPECT_EQ(number("SELECT count(*) FROM events"), 303);
    EXPECT_TRUE(tidy());
    EXPECT_EQ(number("SELECT count(*) FROM events"), 271) << "32 in a step: other commits are not held up";
    append(1, 2);    // the name is free again
    while (tidy()) { }
    EXPECT_EQ(number("SELECT count(*) FROM events"), 5);
    EXPECT_EQ(number("SELECT count(*) FROM logs"), 2);
    EXPECT_LT(number("PRAGMA freelist_count"), 300);
    EXPECT_LT(number("PRAGMA page_count"), 600) << "given back to the file system";
}

TEST_F(Space, ARemovalFromAFullDiskIsGivenRoom)
{
    int rooms = 0;
    open([&] {
        ++rooms;
        vfs_.heal();
    });
    append(1, 1);
    vfs_.fail_after(0, disk_fault::full);
    EXPECT_TRUE(erase(1).has_value());
    EXPECT_EQ(rooms, 1);
}

TEST_F(Space, TheReserveIsThereUntilItIsNeeded)
{
    const sqlite::disk_reserve reserve(dir_ / "reserve", 1 << 20);
    reserve.keep();
    reserve.keep();
    EXPECT_EQ(std::filesystem::file_size(dir_ / "reserve"), 1u << 20);
    reserve.release();
    EXPECT_FALSE(std::filesystem::exists(dir_ / "reserve"));
    const sqlite::disk_reserve too_large(dir_ / "reserve", std::uint64_t{1} << 55);
    too_large.keep();
    EXPECT_FALSE(std::filesystem::exists(dir_ / "reserve"));
}

TEST_F(Space, AnotherProcessThatKeepsTheDatabaseIsBusyAndLosesNothing)
{
    db_ = std::make_unique<sqlite::database>(
        dir_ / "events.db", sqlite::events_schema, sqlite::database_options{.patience = std::chrono::milliseconds(20)});
    append(1, 1);
    sqlite::connection other(dir_ / "events.db", sqlite::open_mode::read_write);
    other.execute("BEGIN IMMEDIATE");
    try {
        append(2, 1);
        FAIL() << "it was not busy";
    } catch (const storage_error& e) {
        EXPECT_EQ(e.fault(), storage_fault::busy) << e.what();
    }
    EXPECT_EQ(number("SELECT count(*) FROM events"), 1) << "readers go on";
    EXPECT_THAT(db_->faults().write_failure, ::testing::HasSubstr("locked"));
    other.execute("ROLLBACK");
    append(2, 1);
    EXPECT_EQ(db_->faults().write_failure, "");
    EXPECT_EQ(number("SELECT count(*) FROM events"), 2);
}

}    // namespace

}    // namespace caisson::testing
