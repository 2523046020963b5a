#include "tests/storage/content_file.hpp"

namespace caisson::testing {

namespace {

class ContentPack : public ContentFile { };

TEST_F(ContentPack, ABatchThatMeetsAFullDiskAmongItsPacksKeepsNothing)
{
    open();
    auto batch = store_->create_batch(tenant_);
    for (std::uint32_t i = 0; i < 200; ++i)
        batch->add(shared_bytes(noise(4096, i)));
    vfs_.fail_after(10, disk_fault::full);
    EXPECT_EQ(code_of(run_task(context_, batch->commit())), errc::runtime_unavailable);
    vfs_.heal();
    batch.reset();
    while (tidy()) { }
    EXPECT_EQ(rows(), 0);
}

TEST_F(ContentPack, PacksOfABatchThatWasGivenUpGo)
{
    open();
    auto batch = store_->create_batch(tenant_);
    for (std::uint32_t i = 0; i < 1'000; ++i)
        batch->add(shared_bytes(noise(4096, i)));
    finish_writes();
    EXPECT_GT(rows(), 256);
    batch.reset();
    finish_writes();
    while (tidy()) { }
    EXPECT_EQ(rows(), 0);
    EXPECT_EQ(*run_task(context_, store_->stored_bytes(tenant_)), 0);
}

TEST_F(ContentPack, ManySmallContentsOfABatchLieInPacks)
{
    open();
    const auto made = store_small(alone + 150, 4096);
    EXPECT_EQ(number("SELECT count(*) FROM chunks"), alone + 3) << "64, 64 and 22 of them";
    EXPECT_EQ(number("SELECT count(chunk) FROM chunk_places"), 2);
    EXPECT_EQ(number("SELECT max(length(data)) FROM chunk_bytes"), 22 * 4096);
    EXPECT_EQ(*run_task(context_, store_->stored_bytes(tenant_)), (alone + 150) * 4096);
    for (std::uint32_t i = 0; i < made.size(); ++i)
        EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, made[i].id, 1'000)) == noise(4096, i), true) << i;
    for (const std::int64_t from : {0, 1, 4095, 4096, 5000}) {
        const auto part = run_task(context_, store_->read(tenant_, made[alone + 70].id, from, 1 << 20));
        const auto all = noise(4096, alone + 70);
        EXPECT_EQ(part->view() == std::string_view(all).substr(std::min<std::size_t>(4096, from)), true) << from;
    }
}

TEST_F(ContentPack, FewSmallContentsOfABatchAreSharedOneByOne)
{
    open();
    store_small(alone, 4096);
    const auto made = store_small(3, 4096);
    EXPECT_EQ(number("SELECT count(*) FROM chunks"), alone);
    EXPECT_EQ(number("SELECT sum(uses) FROM chunks"), alone + 3);
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, made[2].id)) == noise(4096, 2), true);
}

TEST_F(ContentPack, APackGoesWithTheLastOfItsContents)
{
    open();
    const auto made = store_small(alone + 150, 4096);
    std::vector<content_id> most;
    for (std::size_t i = 0; i < made.size(); ++i)
        if (i != alone)
            most.push_back(made[i].id);
    ASSERT_TRUE(run_task(context_, store_->erase(tenant_, most)).has_value());
    const auto stored = *run_task(context_, store_->stored_bytes(tenant_));
    EXPECT_EQ(*run_task(context_, store_->kept_bytes(tenant_)), stored - static_cast<std::int64_t>(most.size()) * 4096);
    EXPECT_EQ(*run_task(context_, store_->kept_bytes(numbered<tenant_id>(2))), 0);
    while (tidy()) { }
    EXPECT_EQ(number("SELECT uses FROM chunks"), 1);
    EXPECT_EQ(*run_task(context_, store_->kept_bytes(tenant_)), *run_task(context_, store_->stored_bytes(tenant_)));
    EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, made[alone].id)) == noise(4096, alone), true);
    ASSERT_TRUE(run_task(context_, store_->erase(tenant_, {made[alone].id})).has_value());
    while (tidy()) { }
    EXPECT_EQ(rows(), 0);
    EXPECT_EQ(*run_task(context_, store_->stored_bytes(tenant_)), 0);
}

TEST_F(ContentPack, APackThatLacksLittleIsAWholeChunk)
{
    open();
    const auto made = store_small(alone + 20, 15'000);
    EXPECT_EQ(number("SELECT count(chunk) FROM chunk_places"), 1) << "17 of them";
    EXPECT_EQ(number("SELECT max(size_bytes) FROM chunks"), static_cast<std::int64_t>(sqlite::chunk_bytes));
    for (std::uint32_t i = 0; i < made.size(); ++i)
        EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, made[i].id)) == noise(15'000, i), true) << i;
}

TEST_F(ContentPack, APackOfManyTinyContentsIsBounded)
{
    open();
    store_small(alone + 1'100, 10);
    EXPECT_EQ(number("SELECT count(*) FROM chunks"), alone + 3);
    EXPECT_EQ(number("SELECT max(uses) FROM chunks"), 512);
}

TEST_F(ContentPack, TheSameSmallContentsTogetherAreStoredOnce)
{
    open();
    const auto first = store_small(alone + 70, 4096);
    run_task(context_, db_->write([](sqlite::connection& db) { db.execute("UPDATE chunk_places SET place = 100"); }));
    const auto second = store_small(alone + 70, 4096);
    EXPECT_EQ(number("SELECT count(*) FROM chunks"), alone + 2);
    EXPECT_EQ(number("SELECT sum(uses) FROM chunks"), 2 * (alone + 70));
    EXPECT_EQ(*run_task(context_, store_->stored_bytes(tenant_)), (alone + 70) * 4096);
    for (std::uint32_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, first[i].id)) == noise(4096, i), true) << "mended too";
        EXPECT_EQ(*run_task(context_, read_all(store_.get(), tenant_, second[i].id)) == noise(4096, i), true) << i;
    }
}

TEST_F(ContentPack, APieceBeyondItsPackIsDamageThatIsFound)
{
    open();
    const auto made = store_small(alone + 70, 4096);
    const auto pieces = [](const std::string& first, const std::string& size) {
        return "UPDATE pieces SET first_byte = " + first + ", size_bytes = " + size + " WHERE first_byte IS NOT NULL";
    };
    for (const auto& damage : {pieces("262143", "4096"), pieces("1000000000", "4096"), pieces("0", "1"), pieces("0", "0"),
             std::string("DELETE FROM chunk_bytes; UPDATE chunk_places SET chunk = NULL")}) {
        run_task(context_, db_->write([&damage](sqlite::connection& db) { db.execute(damage); }));
        EXPECT_THROW(run_task(context_, read_all(store_.get(), tenant_, made[alone + 3].id)), storage_error) << damage;
        EXPECT_THROW(run_task(context_, read_all(store_.get(), tenant_, made[alone + 69].id)), storage_error) << damage;
    }
}

}    // namespace

}    // namespace caisson::testing
