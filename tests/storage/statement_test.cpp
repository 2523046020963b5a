#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/transaction.hpp"
#include "tests/storage/temp_dir.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

using sqlite::connection;
using sqlite::open_mode;
using sqlite::transaction;
using sqlite::transaction_kind;

class SqliteStatement : public ::testing::Test {
protected:
    SqliteStatement()
    {
        write_file(dir_ / "t.db", "");
        db_ = std::make_unique<connection>(dir_ / "t.db", open_mode::read_write);
        db_->execute("CREATE TABLE t (n INTEGER UNIQUE, s TEXT, b BLOB) STRICT");
    }
    void insert(int n) { db_->prepare("INSERT INTO t (n) VALUES (?)").bind(n).run(); }
    std::int64_t rows() { return db_->integer("SELECT count(*) FROM t"); }
    template <class F>
    storage_fault fault_of(F failing)
    {
        try {
            failing();
        } catch (const storage_error& e) {
            EXPECT_NE(std::string(e.what()).find("t.db: "), std::string::npos) << e.what();
            return e.fault();
        }
        ADD_FAILURE() << "no storage_error";
        return storage_fault::broken;
    }

    temp_dir dir_;
    std::unique_ptr<connection> db_;
};

TEST_F(SqliteStatement, BindsAndReadsEachType)
{
    const std::string bytes("a\0\xff", 3);
    auto insert = db_->prepare("INSERT INTO t (n, s, b) VALUES (?, ?, ?)");
    insert.bind(-5, std::string("text"), sqlite::borrowed_blob{bytes}).run();
    insert.bind(~0ull, std::optional<std::string>(), sqlite::borrowed_blob{""}).run();
    auto query = db_->prepare("SELECT n, s, b FROM t ORDER BY n");
    ASSERT_TRUE(query.step());
    sqlite::column_reader first(query);
    EXPECT_EQ(first.integer(), -5);
    EXPECT_EQ(first.text(), "text");
    EXPECT_EQ(first.view(), bytes);
    ASSERT_TRUE(query.step());
    EXPECT_EQ(query.integer(0), std::numeric_limits<std::int64_t>::max()) << "as near as SQLite's integers come";
    EXPECT_TRUE(query.is_null(1));
    EXPECT_FALSE(query.is_null(2));
    EXPECT_FALSE(query.step());
}

TEST_F(SqliteStatement, ANamedParameterIsBoundByItsName)
{
    auto query = db_->prepare("SELECT :b - :a");
    ASSERT_TRUE(query.set(":a", 1).set(":b", 10).step());
    EXPECT_EQ(query.integer(0), 9);
    auto other = db_->prepare("SELECT :b - :a");
    EXPECT_THROW(other.set(":c", 1), std::logic_error);
}

TEST_F(SqliteStatement, TooFewValuesAreABug)
{
    auto query = db_->prepare("SELECT ?, ?");
    EXPECT_THROW(query.bind(1).step(), std::logic_error);
}

TEST_F(SqliteStatement, AStatementInUseIsPreparedOnceMore)
{
    insert(1);
    insert(2);
    auto outer = db_->prepare("SELECT n FROM t ORDER BY n");
    ASSERT_TRUE(outer.step());
    {
        auto inner = db_->prepare("SELECT n FROM t ORDER BY n");
        ASSERT_TRUE(inner.step());
        EXPECT_EQ(inner.integer(0), 1);
    }
    ASSERT_TRUE(outer.step());
    EXPECT_EQ(outer.integer(0), 2);
}

TEST_F(SqliteStatement, FailuresSayWhatKindTheyAre)
{
    insert(1);
    EXPECT_EQ(fault_of([&] { insert(1); }), storage_fault::constraint);
    EXPECT_EQ(fault_of([&] { db_->prepare("SELECT nothing"); }), storage_fault::broken);
    db_->execute("PRAGMA max_page_count = 1");    // SQLite takes the present size if that is more
    EXPECT_EQ(fault_of([&] { db_->prepare("INSERT INTO t (b) VALUES (zeroblob(100000))").run(); }), storage_fault::disk_full);
    connection reader(dir_ / "t.db", open_mode::read_only);
    EXPECT_EQ(fault_of([&] { reader.execute("DELETE FROM t"); }), storage_fault::broken);
    EXPECT_EQ(rows(), 1);
}

TEST_F(SqliteStatement, IsDurableWalWithForeignKeys)
{
    EXPECT_EQ(db_->integer("PRAGMA synchronous"), 2);
    EXPECT_EQ(db_->integer("PRAGMA foreign_keys"), 1);
    EXPECT_EQ(db_->integer("SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
}

TEST_F(SqliteStatement, ATransactionRollsBackUnlessCommitted)
{
    {
        const transaction lost(*db_, transaction_kind::write);
        insert(1);
    }
    EXPECT_EQ(rows(), 0);
    {
        transaction kept(*db_, transaction_kind::write);
        insert(1);
        kept.commit();
    }
    EXPECT_EQ(rows(), 1);
    EXPECT_FALSE(db_->in_transaction());
}

TEST_F(SqliteStatement, ATransactionRollsBackWhenAnExceptionLeavesIt)
{
    insert(1);
    try {
        transaction broken(*db_, transaction_kind::write);
        insert(2);
        insert(1);
        broken.commit();
        FAIL() << "the second 1 went in";
    } catch (const storage_error&) {
    }
    EXPECT_EQ(rows(), 1);
}

TEST_F(SqliteStatement, AReadTransactionSeesOneState)
{
    connection reader(dir_ / "t.db", open_mode::read_only);
    {
        const transaction one(reader, transaction_kind::read);
        EXPECT_EQ(reader.integer("SELECT count(*) FROM t"), 0);
        insert(1);
        EXPECT_EQ(reader.integer("SELECT count(*) FROM t"), 0);
    }
    EXPECT_EQ(reader.integer("SELECT count(*) FROM t"), 1);
}

}    // namespace

}    // namespace caisson::testing
