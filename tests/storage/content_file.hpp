#pragma once

#include "adapters/crypto/sha256_hasher.hpp"
#include "storage/content/content_rows.hpp"
#include "storage/content/content_store.hpp"
#include "storage/sqlite/schemas.hpp"
#include "storage/stores/tidying.hpp"
#include "tests/storage/content_bytes.hpp"
#include "tests/storage/fault_vfs.hpp"
#include "tests/storage/store_contract.hpp"
#include "tests/storage/temp_dir.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

/// A content.db whose tidying a test does by hand.
class ContentFile : public ::testing::Test {
protected:
    void open(std::function<void()> make_room = {})
    {
        store_.reset();
        sqlite::make_file(dir_ / "content.db");
        files_ = std::make_unique<sqlite::chunk_file>(dir_ / "content.db");
        db_ = std::make_unique<sqlite::database>(
            dir_ / "content.db", sqlite::content_schema, sqlite::database_options{.make_room = std::move(make_room)});
        const std::string key(32, 'k');
        store_ =
            std::make_unique<sqlite_content_store>(sqlite_content_store::parts{*db_, *files_, key, debris_, &make_sha256_hasher, clock_});
    }
    result<content_info> store(std::string bytes, std::size_t piece = 1 << 20)
    {
        return run_task(context_, write_all(store_->create(tenant_), std::move(bytes), piece));
    }
    /// So many of a batch are in no pack.
    static constexpr std::uint32_t alone = 32;
    /// In one batch: noise of seeds from 0 on.
    std::vector<content_info> store_small(std::uint32_t count, std::size_t size)
    {
        const auto batch = store_->create_batch(tenant_);
        std::vector<content_info> made;
        for (std::uint32_t i = 0; i < count; ++i)
            made.push_back(batch->add(shared_bytes(noise(size, i))));
        EXPECT_TRUE(run_task(context_, batch->commit()).has_value());
        return made;
    }
    std::int64_t number(std::string_view sql)
    {
        return run_task(context_, db_->read([sql](sqlite::connection& db) { return db.integer(sql); }));
    }
    /// Rows of contents, finished or not, of pieces, and of chunks with and without counts; places in use.
    std::int64_t rows()
    {
        return number("SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM pieces) + (SELECT count(*) FROM chunks) + "
                      "(SELECT count(*) FROM chunk_bytes) + (SELECT count(chunk) FROM chunk_places)");
    }
    /// What was queued has been written.
    void finish_writes()
    {
        run_task(context_, db_->write([](sqlite::connection&) { }));
    }
    /// One step of what the writer does when it is idle.
    bool tidy()
    {
        sqlite::connection db(dir_ / "content.db", sqlite::open_mode::read_write);
        return sqlite::tidy_content(db, *files_, debris_);
    }

    temp_dir dir_;
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
    fault_vfs vfs_;
    system_clock clock_;
    const tenant_id tenant_ = numbered<tenant_id>(1);
    sqlite::content_debris debris_;
    std::unique_ptr<sqlite::chunk_file> files_;
    std::unique_ptr<sqlite::database> db_;
    std::unique_ptr<sqlite_content_store> store_;
};

}    // namespace caisson::testing
