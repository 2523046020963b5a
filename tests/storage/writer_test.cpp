#include "tests/storage/database_fixture.hpp"

#include <atomic>
#include <semaphore>
#include <thread>

namespace caisson::testing {

namespace {

using sqlite::connection;

class Writer : public DatabaseTest { };

TEST_F(Writer, ReturnsTheClosuresValueAndItsException)
{
    open();
    EXPECT_EQ(run_task(context_, db_->write([](connection&) { return std::string("value"); })), "value");
    run_task(context_, db_->write(inserting(1)));
    EXPECT_THROW(run_task(context_, db_->write(inserting(1))), storage_error);
    EXPECT_THROW(run_task(context_, db_->write([](connection&) { throw std::domain_error("mine"); })), std::domain_error);
    EXPECT_EQ(rows(), 1);
}

TEST_F(Writer, ManyThatWaitShareOneCommit)
{
    open({.batch_time = std::chrono::hours(1)});
    hold();
    for (int i = 0; i < 300; ++i)
        start(inserting(i));
    go_.count_down();
    finish();
    EXPECT_EQ(rows(), 300);
    EXPECT_EQ(failures_, 0);
    EXPECT_EQ(db_->writes(), 301u);
    EXPECT_EQ(db_->commits(), 1u);
}

TEST_F(Writer, ABatchIsBounded)
{
    open({.batch = 10, .batch_time = std::chrono::hours(1)});
    hold();
    for (int i = 0; i < 99; ++i)
        start(inserting(i));
    go_.count_down();
    finish();
    EXPECT_EQ(db_->commits(), 10u);
    EXPECT_EQ(rows(), 99);
}

TEST_F(Writer, ABatchTakesNoMoreAfterItsTime)
{
    open({.batch_time = std::chrono::milliseconds(0)});
    hold();
    for (int i = 0; i < 20; ++i)
        start(inserting(i));
    go_.count_down();
    finish();
    EXPECT_EQ(db_->commits(), 21u);
}

/// Counts the steps; the first is the one of the start, which open() waits for.
class IdleWriter : public DatabaseTest {
protected:
    ~IdleWriter() override { db_.reset(); }
    void open(sqlite::writer_limits limits)
    {
        sqlite::database_options options;
        options.writing = limits;
        options.idle = [this](connection&) {
            ++steps_;
            made_.release();
            return false;
        };
        db_ = std::make_unique<sqlite::database>(dir_ / "t.db", test_schema, std::move(options));
        wait_for_step();
    }
    void wait_for_step() { ASSERT_TRUE(made_.try_acquire_for(std::chrono::seconds(20))); }

    std::atomic<int> steps_ = 0;
    std::counting_semaphore<> made_{0};
};

TEST_F(IdleWriter, MakesNoStepBetweenTransactionsThatFollowEachOther)
{
    open({.idle_after = std::chrono::hours(1), .idle_every = std::chrono::hours(1)});
    for (int i = 0; i < 5; ++i) {
        run_task(context_, db_->write(inserting(i)));
        db_->tidy();
    }
    db_.reset();
    EXPECT_EQ(steps_, 1);
}

TEST_F(IdleWriter, MakesOneNowAndThenWhateverComes)
{
    open({.idle_after = std::chrono::hours(1), .idle_every = std::chrono::milliseconds(0)});
    run_task(context_, db_->write(inserting(1)));
    db_->tidy();
    wait_for_step();
    EXPECT_EQ(steps_, 2);
}

TEST_F(IdleWriter, MakesOneNowAndThenThoughSomethingWaits)
{
    open({.batch = 1, .idle_after = std::chrono::hours(1), .idle_every = std::chrono::milliseconds(0)});
    hold();
    db_->tidy();
    std::atomic<int> before = 0;
    start([&](connection&) { before = steps_.load(); });
    go_.count_down();
    finish();
    EXPECT_EQ(before, 2);
    wait_for_step();
    wait_for_step();    // what waited may have left something
}

TEST_F(Writer, AFailingClosureLeavesNothingAndDoesNotDisturbTheOthers)
{
    open({.batch_time = std::chrono::hours(1)});
    hold();
    start(inserting(1));
    start([](connection& db) {
        inserting(100)(db);
        throw std::runtime_error("after a write");
    });
    start([](connection& db) -> result<void> {
        inserting(200)(db);
        return error{errc::conflict, "after a write"};
    });
    start(inserting(1));
    start(inserting(2));
    go_.count_down();
    finish();
    EXPECT_EQ(failures_, 2) << "the exception and the broken constraint";
    EXPECT_EQ(rows(), 2);
    EXPECT_EQ(db_->commits(), 1u);
}

/// What comes before all others in a transaction is undone in another way than what comes later.
TEST_F(Writer, AFailingFirstClosureLeavesNothingAndDoesNotDisturbTheOthers)
{
    open({.batch_time = std::chrono::hours(1)});
    start(sqlite::called_once([this](connection& db) {
        inserting(100)(db);
        held_.count_down();
        go_.wait();
        throw std::runtime_error("after a write");
    }));
    held_.wait();
    start([](connection& db) -> result<void> {
        inserting(100)(db);
        return error{errc::conflict, "after a write"};
    });
    start(inserting(100));
    start(inserting(100));
    start(inserting(2));
    go_.count_down();
    finish();
    EXPECT_EQ(failures_, 2) << "the exception and the broken constraint";
    EXPECT_EQ(rows(), 2);
    EXPECT_EQ(db_->commits(), 1u);
}

/// Closures that were called, in order; what fails is in capitals.
class WriterCalls : public Writer {
protected:
    void note(char name) { calls_ += name; }
    auto good(char name)
    {
        return [this, name](connection& db) {
            inserting(name)(db);
            note(name);
        };
    }
    auto once(char name) { return sqlite::called_once(good(name)); }
    auto bad(char name)
    {
        return [work = good(name)](connection& db) -> result<void> {
            work(db);
            return error{errc::conflict, "after a write"};
        };
    }
    template <class... Works>
    std::string calls(Works... works)
    {
        open({.batch_time = std::chrono::hours(1)});
        std::latch begun(1);
        start(sqlite::called_once([&](connection&) -> result<void> {
            begun.count_down();
            go_.wait();
            return error{errc::conflict, "nothing was written"};
        }));
        begun.wait();
        (start(std::move(works)), ...);
        go_.count_down();
        finish();
        EXPECT_EQ(failures_, 0);
        EXPECT_EQ(db_->commits(), 1u);
        return calls_;
    }

    std::string calls_;
};

TEST_F(WriterCalls, EachIsCalledOnceWhereNothingFails)
{
    EXPECT_EQ(calls(good('a'), good('b'), once('c'), good('d')), "abcd");
    EXPECT_EQ(rows(), 4);
}

TEST_F(WriterCalls, WhatAFailureTookAlongIsDoneAgain)
{
    EXPECT_EQ(calls(good('a'), good('b'), bad('X'), good('c'), bad('Y'), good('d')), "abXabcYd");
    EXPECT_EQ(rows(), 4);
}

TEST_F(WriterCalls, AFailureThatWroteNothingTakesNothingAlong)
{
    const auto looking = [this](connection& db) -> result<void> {
        note('L');
        return error{errc::not_found, std::to_string(db.integer("SELECT count(*) FROM t"))};
    };
    EXPECT_EQ(calls(good('a'), looking, good('b'), looking, bad('X'), looking), "aLbLXabL");
    EXPECT_EQ(rows(), 2);
}

TEST_F(WriterCalls, OneThatCannotBeCalledAgainIsNot)
{
    EXPECT_EQ(calls(once('a'), bad('X'), good('b'), bad('Y')), "aXbY");
    EXPECT_EQ(rows(), 2);
}

TEST_F(WriterCalls, OneThatCannotBeCalledAgainComesBehindOthers)
{
    EXPECT_EQ(calls(good('a'), once('b'), bad('X'), good('c')), "abXc");
    EXPECT_EQ(rows(), 3);
}

TEST_F(WriterCalls, FailuresBeforeAllElseCostNothing)
{
    EXPECT_EQ(calls(bad('X'), bad('Y'), good('a'), good('b'), bad('Z'), good('c')), "XYabZabc");
    EXPECT_EQ(rows(), 3);
}

TEST_F(WriterCalls, OneThatFailsTheSecondTimeLeavesNothing)
{
    auto first_only = [work = good('a'), calls = std::make_shared<int>(0)](connection& db) -> result<void> {
        work(db);
        return ++*calls == 1 ? result<void>() : error{errc::conflict, "the second time"};
    };
    EXPECT_EQ(calls(std::move(first_only), good('b'), bad('X'), good('c')), "abXabc");
    EXPECT_EQ(rows(), 2);
}

TEST_F(Writer, ClosuresRunInTheOrderOfTheCalls)
{
    open({.batch = 7});
    std::vector<int> order;
    hold();
    for (int i = 0; i < 50; ++i)
        start([&order, i](connection&) { order.push_back(i); });
    go_.count_down();
    finish();
    EXPECT_TRUE(std::ranges::is_sorted(order));
    EXPECT_EQ(order.size(), 50u);
}

TEST_F(Writer, AFailedCommitFailsItsWholeBatchAndTheNextOneWorks)
{
    open({.batch_time = std::chrono::hours(1)});
    hold();
    start(inserting(1));
    start([](connection& db) {
        db.execute("PRAGMA defer_foreign_keys = ON;"
                   "CREATE TABLE parent (n INTEGER PRIMARY KEY); CREATE TABLE child (n INTEGER REFERENCES parent (n));"
                   "INSERT INTO child VALUES (1)");
    });
    start(inserting(2));
    go_.count_down();
    finish();
    EXPECT_EQ(failures_, 4) << "COMMIT finds the orphan; the first closure is in the batch too";
    EXPECT_EQ(rows(), 0);
    run_task(context_, db_->write(inserting(3)));
    EXPECT_EQ(rows(), 1);
}

TEST_F(Writer, AFullDiskFailsWithItsNameAndTheNextWriteWorks)
{
    open();
    run_task(context_, db_->write([](connection& db) { db.execute("PRAGMA max_page_count = 20"); }));
    const auto large = [](connection& db) { db.prepare("INSERT INTO t (n, b) VALUES (1, zeroblob(1000000))").run(); };
    try {
        run_task(context_, db_->write(large));
        FAIL() << "it fitted";
    } catch (const storage_error& e) {
        EXPECT_EQ(e.fault(), storage_fault::disk_full) << e.what();
    }
    run_task(context_, db_->write(inserting(1)));
    EXPECT_EQ(rows(), 1);
}

TEST_F(Writer, AFullQueueRefusesAndSaysSo)
{
    open({.queued = 2});
    hold();
    start(inserting(1));
    start(inserting(2));
    const auto refused = run_task(context_, db_->write([](connection&) -> result<int> { return 1; }));
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::queue_full);
    EXPECT_THROW(run_task(context_, db_->write(inserting(3))), storage_error);
    go_.count_down();
    finish();
    EXPECT_EQ(rows(), 2);
}

TEST_F(Writer, WhatIsQueuedIsCommittedWhenTheDatabaseIsClosed)
{
    open();
    hold();
    for (int i = 0; i < 20; ++i)
        start(inserting(i));
    db_->write_later(inserting(1000));
    go_.count_down();
    db_.reset();
    finish();
    open();
    EXPECT_EQ(rows(), 21);
}

TEST_F(Writer, LaterWorkGoesWithTheNextWrite)
{
    open();
    db_->write_later(inserting(1));
    run_task(context_, db_->write(inserting(2)));
    run_task(context_, db_->write(inserting(3)));
    EXPECT_EQ(rows(), 3);
}

TEST_F(Writer, FramesThatAreStillSuspendedWhenAllEndsAreDestroyed)
{
    auto context = std::make_unique<asio::io_context>();
    open();
    auto token = std::make_shared<int>(0);
    bool resumed = false;
    auto waiting = [this, token](connection&) { go_.wait(); };    // so that it does not end while the context still turns
    asio::co_spawn(context->get_executor(), db_->write(std::move(waiting)), [&resumed, token](std::exception_ptr) { resumed = true; });
    context->poll();
    go_.count_down();
    db_.reset();
    context.reset();
    EXPECT_FALSE(resumed);
    EXPECT_EQ(token.use_count(), 1);
}

}    // namespace

}    // namespace caisson::testing
