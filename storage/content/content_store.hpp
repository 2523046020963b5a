#pragma once

#include "core/base/clock.hpp"
#include "core/base/hasher.hpp"
#include "core/files/ports.hpp"
#include "storage/content/chunk_file.hpp"
#include "storage/sqlite/database.hpp"

#include <atomic>
#include <memory>

namespace caisson {

namespace sqlite {

/// Contents that were begun and given up: a writer's idle steps remove them. From any thread.
class content_debris {
public:
    struct pile {
        tenant_id tenant;
        std::vector<content_id> ids;
    };
    /// Their rows are there already, or there will be none.
    void add(pile given_up);
    /// Removes some of them, then of what else was erased; true if there may be more. On the writer's thread.
    bool clear_some(connection& db, chunk_file& files);
    /// True if it was, since the last call: another process read all chunks meanwhile.
    bool was_postponed() { return postponed_.exchange(false); }

private:
    std::vector<pile> take();

    std::mutex mutex_;
    std::vector<pile> piles_;
    std::atomic<bool> postponed_ = false;
};

}    // namespace sqlite

/// Contents in content.db. Writers and batches may outlive the store, but can only be destroyed then.
class sqlite_content_store : public content_store {
public:
    struct parts {
        sqlite::database& db;
        sqlite::chunk_file& files;
        std::string tag_key;               // what chunks are recognised with
        sqlite::content_debris& debris;    // what `db` clears when it is idle
        hasher_factory make_hasher;        // null: nothing can be written
        const clock& time;
    };

    /// All outlive it.
    explicit sqlite_content_store(const parts& from);
    ~sqlite_content_store() override;

    std::unique_ptr<content_writer> create(tenant_id tenant) override;
    std::unique_ptr<content_batch> create_batch(tenant_id tenant) override;
    /// Damage that is found is storage_fault::corrupt.
    task<result<shared_bytes>> read(tenant_id tenant, content_id id, std::int64_t offset, std::size_t max_bytes) override;
    task<result<content_info>> find(tenant_id tenant, content_id id) override;
    task<result<void>> erase(tenant_id tenant, std::vector<content_id> ids) override;
    task<result<std::vector<owned_content>>> list(content_filter wanted) override;
    task<result<std::int64_t>> stored_bytes(tenant_id tenant) override;
    task<result<std::int64_t>> kept_bytes(tenant_id tenant) override;

    struct core;

private:
    std::shared_ptr<core> core_;
};

}    // namespace caisson
