#include "core/files/janitor.hpp"
#include "storage/storage.hpp"
#include "tests/storage/content_file.hpp"
#include "tests/support/fake_timers.hpp"

#include <latch>

namespace caisson::testing {

namespace {

TEST_F(ContentFile, WhatWasErasedGoesInSmallStepsAndItsPagesWithIt)
{
    open();
    const auto large = *store(noise(40 * sqlite::chunk_bytes, 1));
    const auto shared = *store(noise(3 * sqlite::chunk_bytes, 1));    // the first chunks of the other
    ASSERT_TRUE(run_task(context_, store_->erase(tenant_, {large.id})).has_value());
    EXPECT_EQ(number("SELECT count(*) FROM chunks"), 40);
    EXPECT_TRUE(tidy());
    EXPECT_EQ(number("SELECT count(*) FROM chunks"), 40 - 16 + 3) << "16 in a step: other commits are not held up";
    while (tidy()) { }
    EXPECT_EQ(rows(), 1 + 3 + 3 + 3);
    EXPECT_EQ(*run_task(context_, store_->stored_bytes(tenant_)), 3 * static_cast<std::int64_t>(sqlite::chunk_bytes));
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, shared.id)) == noise(3 * sqlite::chunk_bytes, 1), true);
    EXPECT_LT(number("PRAGMA page_count") * number("PRAGMA page_size"), 7 << 20) << "given back to the file system";
}

TEST_F(ContentFile, AGivenUpWriterLeavesNothingInTheEnd)
{
    open();
    {
        auto writer = store_->create(tenant_);
        const shared_bytes much(noise(6 << 20, 5));
        ASSERT_TRUE(run_task(context_, writer->write(much)).has_value());
    }
    ASSERT_TRUE(store("kept").has_value());    // behind what was queued
    EXPECT_GT(rows(), 10) << "a transaction of it was written";
    while (tidy()) { }
    EXPECT_EQ(rows(), 4);
}

TEST_F(ContentFile, AWriterThatIsGivenUpBeforeItsRowsAreThereLeavesNothingInTheEnd)
{
    open();
    std::latch held{1}, go{1};
    db_->start_write(sqlite::called_once([&](sqlite::connection&) {
        held.count_down();
        go.wait();
    }),
        [](std::exception_ptr, auto&&) {});
    held.wait();
    {
        auto writer = store_->create(tenant_);
        ASSERT_TRUE(run_task(context_, writer->write(shared_bytes(noise(6 << 20, 5)))).has_value());
    }
    {
        sqlite::connection reading(dir_ / "content.db", sqlite::open_mode::read_only);
        EXPECT_NO_THROW(debris_.clear_some(reading, *files_)) << "there is nothing yet that could be marked";
    }
    go.count_down();
    ASSERT_TRUE(store("kept").has_value());
    EXPECT_GT(rows(), 10) << "a transaction of it was written";
    while (tidy()) { }
    EXPECT_EQ(rows(), 4);
}

TEST_F(ContentFile, AFullDiskInTheMiddleLeavesNothingAndALaterWriteWorks)
{
    open();
    const auto before = *store("before");
    vfs_.fail_after(60, disk_fault::full);
    const auto refused = store(noise(24 << 20, 9));
    EXPECT_EQ(code_of(refused), errc::runtime_unavailable);
    vfs_.heal();
    while (tidy()) { }
    EXPECT_EQ(rows(), 4);
    const auto bytes = noise(6 << 20, 10);
    const auto after = store(bytes);
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, after->id)) == bytes, true);
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, before.id)), "before");
}

TEST_F(ContentFile, ABrokenDiskIsThrownAndLeavesNothing)
{
    open();
    vfs_.fail_after(20, disk_fault::broken);
    EXPECT_THROW(store(noise(12 << 20, 9)), storage_error);
    vfs_.heal();
    while (tidy()) { }
    EXPECT_EQ(rows(), 0);
    EXPECT_TRUE(store("after").has_value());
}

TEST_F(ContentFile, ABatchThatMeetsAFullDiskKeepsNothing)
{
    open();
    auto batch = store_->create_batch(tenant_);
    ASSERT_TRUE(run_task(context_, write_all(batch->create(), "one")).has_value());
    batch->add(shared_bytes(std::string("two")));
    vfs_.fail_after(0, disk_fault::full);
    EXPECT_EQ(code_of(run_task(context_, batch->commit())), errc::runtime_unavailable);
    vfs_.heal();
    EXPECT_EQ(code_of(run_task(context_, batch->commit())), errc::runtime_unavailable) << "for good";
    batch.reset();
    while (tidy()) { }
    EXPECT_EQ(rows(), 0);
}

TEST_F(ContentFile, AChunkThatTheDiskDamagedIsMendedByTheSameBytes)
{
    open();
    const auto bytes = noise(3 * sqlite::chunk_bytes, 4);
    const auto one = *store(bytes);
    const std::string in_rows = "UPDATE chunk_places SET chunk = NULL WHERE chunk = 2; INSERT INTO chunk_bytes (chunk, data) VALUES (2, ";
    const std::pair<std::string, std::string> damages[] = {
        {"another_place", "UPDATE chunk_places SET place = 100 WHERE chunk = 2"},
        {"no_place", "UPDATE chunk_places SET chunk = NULL WHERE chunk = 2"},
        {"other_bytes", in_rows + "zeroblob(262144))"},
        {"fewer_bytes", "UPDATE chunk_bytes SET data = x'00' WHERE chunk = 2"},
        {"no_bytes", "DELETE FROM chunk_bytes WHERE chunk = 2"},
    };
    for (const auto& [name, damage] : damages) {
        run_task(context_, db_->write([&damage](sqlite::connection& db) { db.execute(damage); }));
        ASSERT_TRUE(store(bytes).has_value()) << name;
        EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, one.id)) == bytes, true) << name;
    }
    EXPECT_EQ(number("SELECT count(*) FROM chunks"), 3) << "still shared";
}

TEST_F(ContentFile, AnotherPlaceThatTheDiskDamagedIsMendedToo)
{
    open();
    const auto bytes = noise(2 * sqlite::chunk_bytes, 4);
    const auto one = *store(bytes);
    write_file(dir_ / "content.db-chunks", std::string(2 * sqlite::chunk_bytes, 'x'));
    EXPECT_NE(*run_task(context_, read_all(store_.get(), tenant_, one.id)) == bytes, true);
    ASSERT_TRUE(store(bytes).has_value());
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, one.id)) == bytes, true);
    EXPECT_EQ(number("SELECT count(*) FROM chunk_places"), 2) << "where they were";
}

TEST_F(ContentFile, OnlyWholeChunksHavePlaces)
{
    open();
    const auto bytes = noise(2 * sqlite::chunk_bytes + 1, 4);
    const auto one = *store(bytes);
    EXPECT_EQ(number("SELECT count(*) FROM chunk_bytes"), 1);
    EXPECT_EQ(std::filesystem::file_size(dir_ / "content.db-chunks"), 2 * sqlite::chunk_bytes);
    for (const std::size_t from : {0ul, 1ul, sqlite::chunk_bytes - 1, sqlite::chunk_bytes, 2 * sqlite::chunk_bytes})
        for (const std::size_t length : {1ul, 2ul, sqlite::chunk_bytes, 2 * sqlite::chunk_bytes}) {
            const auto part = run_task(context_, store_->read(tenant_, one.id, static_cast<std::int64_t>(from), length));
            EXPECT_EQ(part->view() == std::string_view(bytes).substr(from, length), true) << from << " " << length;
        }
}

TEST_F(ContentFile, PlacesOfWhatWasErasedAreUsedAgain)
{
    open();
    const auto first = *store(noise(4 * sqlite::chunk_bytes, 1));
    const auto second = *store(noise(2 * sqlite::chunk_bytes, 2));
    ASSERT_TRUE(run_task(context_, store_->erase(tenant_, {first.id})).has_value());
    while (tidy()) { }
    const auto bytes = noise(5 * sqlite::chunk_bytes, 3);
    const auto third = *store(bytes);
    EXPECT_EQ(std::filesystem::file_size(dir_ / "content.db-chunks"), 7 * sqlite::chunk_bytes);
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, third.id)) == bytes, true);
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, second.id)) == noise(2 * sqlite::chunk_bytes, 2), true);
}

TEST_F(ContentFile, FreePlacesThatAreNotKeptAtHandBecomeHolesAndAreUsedAgain)
{
    open();
    const auto one = *store(noise(3 * sqlite::chunk_bytes, 1));
    run_task(context_, db_->write([](sqlite::connection& db) {
        db.execute("WITH RECURSIVE n (i) AS (VALUES (4) UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
                   "INSERT INTO chunk_places (place) SELECT i FROM n");
    }));
    while (tidy()) { }
    EXPECT_LE(number("SELECT count(*) FROM chunk_places WHERE chunk IS NULL AND hole = 0"), 1024);
    EXPECT_EQ(number("SELECT count(*) FROM chunk_places WHERE chunk IS NOT NULL AND hole = 1"), 0);
    run_task(context_, db_->write([](sqlite::connection& db) { db.execute("UPDATE chunk_places SET hole = 1 WHERE chunk IS NULL"); }));
    const auto bytes = noise(2 * sqlite::chunk_bytes, 2);
    const auto two = *store(bytes);
    EXPECT_EQ(number("SELECT count(*) FROM chunk_places WHERE chunk IS NOT NULL AND hole = 0"), 5);
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, two.id)) == bytes, true);
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, one.id)) == noise(3 * sqlite::chunk_bytes, 1), true);
}

TEST_F(ContentFile, WhoReadsAllPlacesHoldsUpRemovalOnly)
{
    open();
    const auto one = *store(noise(3 * sqlite::chunk_bytes, 1));
    ASSERT_TRUE(run_task(context_, store_->erase(tenant_, {one.id})).has_value());
    {
        const sqlite::chunk_reader backup(dir_ / "content.db");
        backup.hold();
        EXPECT_FALSE(tidy());
        EXPECT_TRUE(debris_.was_postponed());
        EXPECT_EQ(number("SELECT count(chunk) FROM chunk_places"), 3);
        EXPECT_TRUE(store(noise(sqlite::chunk_bytes, 2)).has_value());
    }
    while (tidy()) { }
    EXPECT_EQ(number("SELECT count(chunk) FROM chunk_places"), 1);
    EXPECT_FALSE(debris_.was_postponed());
}

TEST_F(ContentFile, ARemovalFromAFullDiskIsGivenRoom)
{
    int rooms = 0;
    open([&] {
        ++rooms;
        vfs_.heal();
    });
    const auto one = *store("one");
    vfs_.fail_after(0, disk_fault::full);
    EXPECT_TRUE(run_task(context_, store_->erase(tenant_, {one.id})).has_value());
    EXPECT_EQ(rooms, 1);
}

/// The disk takes nothing for a while: the program that writes waits, and what waits here stays bounded.
TEST_F(ContentFile, AWriterIsHeldUpByASlowDisk)
{
    open();
    std::latch held{1}, go{1};
    db_->start_write(
        [&](sqlite::connection&) {
            held.count_down();
            go.wait();
        },
        [](std::exception_ptr, auto&&) {});
    held.wait();
    std::size_t taken = 0;
    bool done = false;
    auto writer = store_->create(tenant_);
    const shared_bytes piece(noise(1 << 20, 3));
    auto write = [](content_writer* into, shared_bytes bytes, std::size_t* count) -> task<> {
        for (int i = 0; i < 40; ++i) {
            auto writing = into->write(bytes);
            EXPECT_TRUE((co_await std::move(writing)).has_value());
            ++*count;
        }
    };
    asio::co_spawn(context_, write(writer.get(), piece, &taken), [&](std::exception_ptr) { done = true; });
    while (taken < 11)
        context_.run_one();
    context_.poll();
    EXPECT_LT(taken, 14u) << "MiB of 40";
    go.count_down();
    while (!done)
        context_.run_one();
    EXPECT_EQ(taken, 40u);
    const auto info = run_task(context_, writer->finish());
    EXPECT_EQ(info->size_bytes, 40 << 20);
}

TEST_F(ContentFile, WritersThatOutliveTheStoreCanBeDestroyed)
{
    open();
    auto writer = store_->create(tenant_);
    ASSERT_TRUE(run_task(context_, writer->write(shared_bytes(std::string("x")))).has_value());
    store_.reset();
    writer.reset();
}

class KilledServer : public ::testing::Test {
protected:
    static constexpr const char* names[] = {
        "records.db", "records.db-wal", "events.db", "events.db-wal", "content.db", "content.db-wal", "content.db-chunks"};
    /// The files as they are now, as a kill leaves them.
    void kill()
    {
        std::filesystem::create_directory(dir_ / "next");
        for (const auto* name : names)
            if (std::filesystem::exists(dir_ / ("data/" + std::string(name))))
                std::filesystem::copy(dir_ / ("data/" + std::string(name)), dir_ / ("next/" + std::string(name)));
    }
    std::unique_ptr<storage> open(const std::string& name)
    {
        return storage::open(dir_ / name, {.reserve_bytes = 0, .make_hasher = &make_sha256_hasher});
    }
    std::int64_t contents_in(const std::string& name)
    {
        sqlite::connection db(dir_ / (name + "/content.db"), sqlite::open_mode::read_only);
        return db.integer("SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM chunks)");
    }

    temp_dir dir_;
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
    const tenant_id tenant_ = numbered<tenant_id>(1);
};

TEST_F(KilledServer, WhatItWasWritingIsRemovedAtTheNextStart)
{
    const auto first = open("data");
    auto writer = first->contents().create(tenant_);
    const shared_bytes much(noise(6 << 20, 5));
    ASSERT_TRUE(run_task(context_, writer->write(much)).has_value());
    ASSERT_TRUE(run_task(context_, write_all(first->contents().create(tenant_), "finished")).has_value());
    kill();
    ASSERT_GT(contents_in("next"), 10);
    const auto next = open("next");
    while (contents_in("next") > 2)
        ASSERT_TRUE(run_task(context_, next->look()).write_failure.empty());
    EXPECT_EQ(run_task(context_, next->contents().list({{}, std::numeric_limits<std::int64_t>::max(), 10}))->size(), 1u);
}

TEST_F(KilledServer, AContentThatDidNotGetItsRecordIsRemovedByTheJanitor)
{
    const auto first = open("data");
    const auto orphan = *run_task(context_, write_all(first->contents().create(tenant_), noise(300'000, 1)));
    kill();
    const auto next = open("next");
    fake_timers time(context_.get_executor(), system_clock().now_ms());
    null_logger log;
    janitor one({time, log, next->contents(), next->artifacts()}, {});
    EXPECT_EQ(run_task(context_, one.clean())->unnamed, 0u) << "its record may still come";
    time.advance(std::chrono::hours(2));
    EXPECT_EQ(run_task(context_, one.clean())->unnamed, 1u);
    EXPECT_EQ(code_of(run_task(context_, next->contents().find(tenant_, orphan.id))), errc::not_found);
    while (contents_in("next") > 0)
        ASSERT_TRUE(run_task(context_, next->look()).write_failure.empty());
    EXPECT_EQ(*run_task(context_, next->contents().stored_bytes(tenant_)), 0);
}

}    // namespace

}    // namespace caisson::testing
