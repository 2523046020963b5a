#include "tests/storage/database_fixture.hpp"

namespace caisson::testing {

namespace {

using sqlite::connection;

class ReaderPool : public DatabaseTest { };

TEST_F(ReaderPool, ReadersWorkSideBySideAndWhileAWriteIsUnderWay)
{
    open();
    run_task(context_, db_->write(inserting(1)));
    hold();
    std::latch both(2);
    const auto meeting = [&both](connection& db) {
        both.arrive_and_wait();    // hangs unless two readers run at once
        return db.integer("SELECT count(*) FROM t");
    };
    std::int64_t sum = 0;
    for (int i = 0; i < 2; ++i) {
        ++running_;
        asio::co_spawn(context_.get_executor(), db_->read(meeting), [&](std::exception_ptr, std::int64_t count) {
            sum += count;
            --running_;
        });
    }
    while (running_ > 1 && context_.run_one() > 0) { }
    EXPECT_EQ(sum, 2);
    go_.count_down();
    finish();
}

TEST_F(ReaderPool, AReaderCannotWriteAndItsExceptionComesBack)
{
    open();
    EXPECT_THROW(run_task(context_, db_->read(inserting(1))), storage_error);
    EXPECT_EQ(rows(), 0);
}

TEST_F(ReaderPool, ReadersKeepNoStateBetweenReads)
{
    open();
    for (int i = 0; i < 8; ++i) {
        run_task(context_, db_->write(inserting(i)));
        EXPECT_EQ(rows(), i + 1) << "each read sees the write before it";
    }
}

}    // namespace

}    // namespace caisson::testing
