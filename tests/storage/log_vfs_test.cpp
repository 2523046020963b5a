#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/transaction.hpp"
#include "tests/storage/fault_vfs.hpp"
#include "tests/storage/temp_dir.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace caisson::testing {

namespace {

using sqlite::connection;
using sqlite::open_mode;
using kind = disk_operation::kind;

/// On pages of 4096 bytes: a row of 20,000 takes five.
class LogLayer : public ::testing::Test {
protected:
    LogLayer()
    {
        write_file(dir_ / "t.db", "");
        db_ = std::make_unique<connection>(dir_ / "t.db", open_mode::read_write);
        db_->execute("CREATE TABLE t (b BLOB) STRICT");
        db_->keep_log();
        insert(*db_, 1);
        vfs_.take_trace();
    }
    static void insert(connection& db, std::int64_t bytes) { db.prepare("INSERT INTO t VALUES (zeroblob(?))").bind(bytes).run(); }
    static std::int64_t bytes_in(connection& db) { return db.integer("SELECT sum(length(b)) FROM t"); }
    std::int64_t bytes_for_others()
    {
        connection other(dir_ / "t.db", open_mode::read_only);
        return bytes_in(other);
    }
    std::vector<disk_operation> log_operations(kind what)
    {
        auto all = vfs_.take_trace();
        std::erase_if(all, [what](const disk_operation& each) { return each.file != "t.db-wal" || each.what != what; });
        return all;
    }
    std::uintmax_t log_size() const { return std::filesystem::file_size(dir_ / "t.db-wal"); }

    temp_dir dir_;
    fault_vfs vfs_;
    std::unique_ptr<connection> db_;
};

TEST_F(LogLayer, ATransactionIsOneWrite)
{
    insert(*db_, 20'000);
    const auto writes = log_operations(kind::write);
    ASSERT_EQ(writes.size(), 1u);
    EXPECT_GE(writes[0].bytes.size(), 5u * (4'096 + 24));
    EXPECT_EQ(bytes_for_others(), 20'001);
}

TEST_F(LogLayer, WhatIsNotSyncedIsThereForOthersToo)
{
    db_->execute("PRAGMA synchronous = OFF");
    insert(*db_, 20'000);
    EXPECT_EQ(log_operations(kind::sync).size(), 0u);
    EXPECT_EQ(bytes_for_others(), 20'001);
}

TEST_F(LogLayer, ATransactionThatDoesNotFitIsReadByItself)
{
    db_->execute("PRAGMA cache_size = 10");    // so that pages go into the log and come back before the commit
    {
        sqlite::transaction all(*db_, sqlite::transaction_kind::write);
        for (int i = 0; i < 60; ++i) {
            insert(*db_, 20'000);
            ASSERT_EQ(bytes_in(*db_), 1 + (i + 1) * 20'000);
        }
        EXPECT_EQ(bytes_for_others(), 1);
        all.commit();
    }
    const auto writes = log_operations(kind::write);
    const auto largest = std::ranges::max(writes, {}, [](const disk_operation& each) { return each.bytes.size(); }).bytes.size();
    EXPECT_LE(largest, 120u << 10);
    EXPECT_LT(writes.size(), 200u);
    EXPECT_EQ(bytes_for_others(), 1'200'001);
    EXPECT_EQ(db_->prepare("PRAGMA integrity_check").step(), true);
    db_->move_log();
    EXPECT_EQ(bytes_for_others(), 1'200'001);
}

TEST_F(LogLayer, WhatCannotBeWrittenFailsItsTransaction)
{
    for (const auto how : {disk_fault::full, disk_fault::broken}) {
        vfs_.fail_after(0, how);
        try {
            insert(*db_, 20'000);
            ADD_FAILURE() << "nothing failed";
        } catch (const storage_error& e) {
            EXPECT_EQ(e.fault(), how == disk_fault::full ? storage_fault::disk_full : storage_fault::broken) << e.what();
        }
        EXPECT_EQ(vfs_.heal(), 1u);
        EXPECT_EQ(bytes_in(*db_), bytes_for_others());
    }
    insert(*db_, 20'000);
    EXPECT_EQ(bytes_for_others(), 20'001);
}

TEST_F(LogLayer, WhatWasTakenBackIsWrittenOver)
{
    db_->execute("PRAGMA cache_size = 10");
    {
        sqlite::transaction all(*db_, sqlite::transaction_kind::write);
        for (int i = 0; i < 10; ++i)
            insert(*db_, 20'000);
    }
    insert(*db_, 10);
    EXPECT_EQ(bytes_for_others(), 11);
}

/// As by `caisson key` beside a server.
TEST_F(LogLayer, WhatWasTakenBackIsNotWrittenOverWhatOthersCommitted)
{
    connection other(dir_ / "t.db", open_mode::read_write);
    db_->execute("PRAGMA cache_size = 10");
    db_->move_log();    // so that nothing of the log is read on the way back
    {
        sqlite::transaction all(*db_, sqlite::transaction_kind::write);
        for (int i = 0; i < 5; ++i)
            insert(*db_, 20'000);
    }
    insert(other, 100);
    EXPECT_EQ(bytes_in(*db_), 101);
    insert(*db_, 1'000);
    EXPECT_EQ(bytes_for_others(), 1'101);
    EXPECT_EQ(bytes_in(other), 1'101);
}

TEST_F(LogLayer, OfAConnectionThatMovesItsLogByItselfIsWrittenAsItComes)
{
    connection plain(dir_ / "t.db", open_mode::read_write);
    vfs_.take_trace();
    insert(plain, 20'000);
    EXPECT_GE(log_operations(kind::write).size(), 10u) << "a header and a page each";
    EXPECT_EQ(bytes_in(*db_), 20'001);
}

TEST_F(LogLayer, AnExtendedLogIsFilledInPlace)
{
    const auto before = log_size();
    EXPECT_FALSE(db_->extend_log(1 << 20, 400 << 10));
    EXPECT_EQ(log_size(), before + (400u << 10));
    EXPECT_FALSE(db_->extend_log(1 << 20, 400 << 10));
    EXPECT_TRUE(db_->extend_log(1 << 20, 400 << 10));
    EXPECT_EQ(log_size(), 1u << 20);
    EXPECT_TRUE(db_->extend_log(1 << 20, 400 << 10)) << "and is left as it is then";
    EXPECT_EQ(log_operations(kind::sync).size(), 3u);
    for (int i = 0; i < 20; ++i)
        insert(*db_, 20'000);
    EXPECT_EQ(log_size(), 1u << 20);
    EXPECT_EQ(bytes_for_others(), 400'001);
}

TEST_F(LogLayer, AnExtendedLogOfAKilledServerIsReadToItsEnd)
{
    db_->extend_log(1 << 20, 1 << 20);
    insert(*db_, 20'000);
    temp_dir killed;    // as its files lie
    for (const auto* name : {"t.db", "t.db-wal"})
        std::filesystem::copy_file(dir_ / name, killed / name);
    connection next(killed / "t.db", open_mode::read_write);
    EXPECT_EQ(bytes_in(next), 20'001);
    insert(next, 5);
    EXPECT_EQ(bytes_in(next), 20'006);
}

TEST_F(LogLayer, ALogThatCannotBeExtendedLosesNothing)
{
    for (const auto how : {disk_fault::full, disk_fault::broken}) {
        vfs_.fail_after(2, how);
        EXPECT_THROW(db_->extend_log(1 << 20, 1 << 20), storage_error);
        vfs_.heal();
        insert(*db_, 20'000);
    }
    EXPECT_EQ(bytes_for_others(), 40'001);
}

TEST_F(LogLayer, WhileAnotherProcessWritesItIsNotExtended)
{
    db_->execute("PRAGMA busy_timeout = 0");
    connection other(dir_ / "t.db", open_mode::read_write);
    const auto before = log_size();
    {
        const sqlite::transaction writing(other, sqlite::transaction_kind::write);
        EXPECT_THROW(db_->extend_log(1 << 20, 1 << 20), storage_error);
        EXPECT_EQ(log_size(), before);
    }
    EXPECT_TRUE(db_->extend_log(1 << 20, 1 << 20));
    insert(*db_, 20'000);
    EXPECT_EQ(bytes_for_others(), 20'001);
}

}    // namespace

}    // namespace caisson::testing
