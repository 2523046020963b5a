#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/schemas.hpp"
#include "storage/stores/execution_store.hpp"
#include "storage/stores/tidying.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/storage/execution_rows.hpp"
#include "tests/storage/fault_vfs.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/run_task.hpp"

#include <boost/asio/co_spawn.hpp>

namespace caisson::testing {

namespace {

constexpr std::size_t piece_bytes = 512 << 10;

execution_spec large_spec()
{
    execution_spec spec;
    spec.files = {{"a", shared_bytes(std::string(700'000, 'a'))}, {"small", shared_bytes(std::string("s"))}};
    spec.stdin_data = shared_bytes(std::string(1'000'000, '\xff'));
    return spec;
}

class SpecBodies : public ::testing::Test {
protected:
    void close()
    {
        store_.reset();
        db_.reset();
    }
    void open(bool tidies = false)
    {
        close();
        sqlite::database_options options;
        if (tidies)
            options.idle = &sqlite::tidy_records;
        db_ = std::make_unique<sqlite::database>(dir_ / "records.db", sqlite::records_schema, options);
        store_ = std::make_unique<sqlite_execution_store>(*db_);
    }
    template <class T>
    T run(task<T> work)
    {
        return run_task(context_, std::move(work));
    }
    std::int64_t number(std::string_view sql)
    {
        return run(db_->read([sql](sqlite::connection& db) { return db.integer(sql); }));
    }
    void tidy()
    {
        sqlite::connection db(dir_ / "records.db", sqlite::open_mode::read_write);
        while (sqlite::erase_some_pieces(db)) { }
    }
    execution_spec find_spec(int of) { return *run(store_->find_spec(numbered<tenant_id>(1), numbered<execution_id>(of))); }

    temp_dir dir_;
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
    std::unique_ptr<sqlite::database> db_;
    std::unique_ptr<sqlite_execution_store> store_;
};

TEST_F(SpecBodies, AreWrittenInPiecesBesideTheSpec)
{
    open();
    const auto before = db_->commits();
    ASSERT_TRUE(run(store_->insert(execution(1), large_spec())).has_value());
    EXPECT_EQ(number("SELECT count(*) FROM spec_pieces"), 4);
    EXPECT_EQ(number("SELECT max(length(bytes)) FROM spec_pieces"), piece_bytes);
    EXPECT_LE(number("SELECT length(spec) FROM execution_specs"), 2'000);
    EXPECT_EQ(db_->commits() - before, 5u) << "others' writes come in between";
    EXPECT_EQ(spec_to_json(find_spec(1)), spec_to_json(large_spec()));
    EXPECT_EQ(spec_to_json(run(store_->unfinished({}, 10))->at(0).spec), spec_to_json(large_spec()));
}

TEST_F(SpecBodies, OfSmallSpecsAreNone)
{
    open();
    execution_spec spec;
    spec.stdin_data = shared_bytes(std::string(200'000, 'x'));
    ASSERT_TRUE(run(store_->insert(execution(1), spec)).has_value());
    EXPECT_EQ(number("SELECT count(*) FROM spec_bodies"), 0);
    EXPECT_EQ(spec_to_json(find_spec(1)), spec_to_json(spec));
}

TEST_F(SpecBodies, GoWithTheirSpecInSteps)
{
    open();
    ASSERT_TRUE(run(store_->insert(execution(1), large_spec())).has_value());
    ASSERT_TRUE(run(store_->insert(execution(2), large_spec())).has_value());
    auto ended = execution(1);
    ended.status = execution_status::success;
    ASSERT_TRUE(run(store_->update(ended)).has_value());
    EXPECT_EQ(number("SELECT count(*) FROM spec_pieces"), 8);
    tidy();
    EXPECT_EQ(number("SELECT count(*) FROM spec_pieces"), 4);
    EXPECT_EQ(spec_to_json(find_spec(2)), spec_to_json(large_spec()));
}

TEST_F(SpecBodies, GoByThemselvesWhenTheirExecutionEnds)
{
    open(true);
    ASSERT_TRUE(run(store_->insert(execution(1), large_spec())).has_value());
    auto ended = execution(1);
    ended.status = execution_status::success;
    ASSERT_TRUE(run(store_->finish({ended, {}})).has_value());
    while (number("SELECT count(*) FROM spec_bodies") > 0) { }    // the writer is idle soon
}

TEST_F(SpecBodies, OfAnEarlierServersExecutionsGoWithTheirEndToo)
{
    open();
    ASSERT_TRUE(run(store_->insert(execution(1), large_spec())).has_value());
    open();
    ASSERT_EQ(run(store_->unfinished({}, 10))->size(), 1u);
    auto ended = execution(1);
    ended.status = execution_status::success;
    ASSERT_TRUE(run(store_->update(ended)).has_value());
    tidy();
    EXPECT_EQ(number("SELECT count(*) FROM spec_bodies"), 0);
}

TEST_F(SpecBodies, ThatAreErasedGoAsFastAsOthersCome)
{
    open();
    for (int one = 1; one <= 4; ++one) {
        ASSERT_TRUE(run(store_->insert(execution(one), large_spec())).has_value());
        auto ended = execution(one);
        ended.status = execution_status::success;
        ASSERT_TRUE(run(store_->update(ended)).has_value());
    }
    EXPECT_LE(number("SELECT count(*) FROM spec_pieces"), 8);
}

TEST_F(SpecBodies, LeaveNothingWhereTheDiskIsFull)
{
    fault_vfs disk;
    open();
    ASSERT_TRUE(run(store_->insert(execution(1), {})).has_value());
    for (const std::size_t working : {0U, 1U, 2U, 3U, 4U}) {
        disk.fail_after(working, disk_fault::full);
        EXPECT_THROW(run(store_->insert(execution(2), large_spec())), storage_error) << working;
        disk.heal();
        run(db_->write([](sqlite::connection& db) { sqlite::abandon_unfinished_bodies(db); }));    // as the next start does
        tidy();
        EXPECT_EQ(number("SELECT count(*) FROM spec_bodies"), 0) << working;
        EXPECT_EQ(number("SELECT count(*) FROM executions"), 1) << working;
    }
    ASSERT_TRUE(run(store_->insert(execution(2), large_spec())).has_value());
    EXPECT_EQ(spec_to_json(find_spec(2)), spec_to_json(large_spec()));
    close();    // before the disk
}

TEST_F(SpecBodies, AreNotWrittenForAKeyThatIsRefused)
{
    open();
    const idempotency_record key{.tenant = numbered<tenant_id>(1),
        .claim = {"r", "k", "f"},
        .execution = numbered<execution_id>(1),
        .created_at_ms = 1,
        .expires_at_ms = 9};
    const auto before = db_->commits();
    EXPECT_EQ(code_of(run(store_->insert_with_key(execution(1), large_spec(), key, 0))), errc::quota_exceeded);
    EXPECT_LE(db_->commits() - before, 1u);
    EXPECT_EQ(number("SELECT count(*) FROM spec_bodies"), 0);
    ASSERT_TRUE(run(store_->insert_with_key(execution(1), large_spec(), key, 1)).has_value());
    EXPECT_EQ(spec_to_json(find_spec(1)), spec_to_json(large_spec()));
}

TEST_F(SpecBodies, ThatAreLostAreNoticedWhenTheirRecordIsWritten)
{
    open();
    EXPECT_THROW(run(db_->write([](sqlite::connection& db) { sqlite::adopt_spec_body(db, numbered<execution_id>(1)); })), std::logic_error);
}

TEST_F(SpecBodies, OfARefusedRecordAreErased)
{
    open();
    ASSERT_TRUE(run(store_->insert(execution(1), {})).has_value());
    EXPECT_EQ(code_of(run(store_->insert(execution(1), large_spec()))), errc::conflict);
    open();    // what was queued is done
    tidy();
    EXPECT_EQ(number("SELECT count(*) FROM spec_bodies"), 0);
    EXPECT_EQ(spec_to_json(find_spec(1)), spec_to_json({}));
}

TEST_F(SpecBodies, OfAServerThatWasKilledAreErased)
{
    open();
    spec_body_writer writer(*db_);
    auto body = run(writer.write_ahead(numbered<execution_id>(1), large_spec()));
    EXPECT_TRUE(body.is_there());
    body.keep();    // nobody abandons it
    ASSERT_TRUE(run(store_->insert(execution(2), large_spec())).has_value());
    run(db_->write([](sqlite::connection& db) { sqlite::abandon_unfinished_bodies(db); }));
    tidy();
    EXPECT_EQ(number("SELECT count(*) FROM spec_bodies"), 1);
    EXPECT_EQ(spec_to_json(find_spec(2)), spec_to_json(large_spec()));
}

TEST_F(SpecBodies, OfManyAtOnceLetOthersWrite)
{
    open();
    std::vector<int> order;
    const auto begin = [&](int which, execution_spec spec) {
        asio::co_spawn(context_.get_executor(), store_->insert(execution(which), std::move(spec)),
            [&order, which](std::exception_ptr failure, const result<void>& done) {
                EXPECT_TRUE(!failure && done.has_value());
                order.push_back(which);
            });
    };
    for (int large = 1; large <= 3; ++large)
        begin(large, large_spec());
    begin(4, {});
    execution_spec medium;
    medium.stdin_data = shared_bytes(std::string(300'000, 'x'));
    begin(5, medium);
    while (order.size() < 5) {
        context_.restart();
        context_.run_one();
    }
    EXPECT_EQ(order.front(), 4);
    EXPECT_EQ(order[1], 5) << "its one piece is behind one piece of each";
    for (int each = 1; each <= 3; ++each)
        EXPECT_EQ(spec_to_json(find_spec(each)), spec_to_json(large_spec()));
}

}    // namespace

}    // namespace caisson::testing
