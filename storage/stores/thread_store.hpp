#pragma once

#include "core/threads/ports.hpp"
#include "storage/content/state_cache.hpp"
#include "storage/sqlite/database.hpp"

namespace caisson {

/// Threads in records.db, which must outlive the store.
class sqlite_thread_store : public thread_store {
public:
    explicit sqlite_thread_store(sqlite::database& db) : db_(db) { }

    task<result<saved_checkpoint>> save(checkpoint_draft draft, retention_policy defaults, thread_bounds_of_tenant bounds) override;
    task<result<std::optional<packing_base>>> base_of(tenant_id tenant, thread_name thread) override;
    task<result<loaded_checkpoint>> find(tenant_id tenant, thread_name thread, std::optional<checkpoint_id> id, bool with_state) override;
    task<result<checkpoint_page>> list(tenant_id tenant, thread_name thread, checkpoint_filter filter) override;
    task<result<void>> erase(tenant_id tenant, thread_name thread, checkpoint_id id, std::int64_t now_ms) override;
    task<result<checkpoint_row>> pin(tenant_id tenant, thread_name thread, checkpoint_id id, bool pinned) override;
    task<result<thread_row>> find_thread(tenant_id tenant, thread_name thread) override;
    task<result<std::vector<thread_row>>> list_threads(tenant_id tenant, thread_name after, std::size_t limit) override;
    task<result<thread_row>> set_policy(
        tenant_id tenant, thread_name thread, retention_policy policy, std::int64_t now_ms, thread_bounds_of_tenant bounds) override;
    task<result<bool>> erase_thread(tenant_id tenant, thread_name thread) override;
    task<result<checkpoint_row>> roll_back_by_copy(tenant_id tenant, thread_name thread, checkpoint_id to, checkpoint_id copy,
        std::int64_t now_ms, thread_bounds_of_tenant bounds) override;
    task<result<rolled_back>> roll_back_by_removal(tenant_id tenant, thread_name thread, checkpoint_id to, std::int64_t now_ms) override;
    task<result<thread_row>> branch(tenant_id tenant, thread_name from, std::optional<checkpoint_id> of, thread_name name,
        checkpoint_id copy, std::int64_t now_ms, thread_bounds_of_tenant bounds) override;
    task<result<std::size_t>> retain(tenant_id tenant, thread_name thread, std::int64_t now_ms, std::size_t limit) override;
    task<result<bool>> has_due(std::int64_t now_ms) override;
    task<result<std::size_t>> retain_due(std::int64_t now_ms, std::size_t limit) override;
    task<result<thread_usage>> usage(tenant_id tenant) override;
    task<result<thread_import>> begin_import(tenant_id tenant, std::int64_t now_ms, thread_bounds_of_tenant bounds) override;
    task<result<void>> add_imported(thread_import to, std::vector<checkpoint_draft> drafts, thread_bounds_of_tenant bounds) override;
    task<result<std::optional<packing_base>>> base_of_import(thread_import of) override;
    task<result<thread_row>> finish_import(thread_import which, thread_name name, retention_policy policy, std::int64_t now_ms) override;
    task<result<void>> drop_import(thread_import which) override;

    /// What an earlier server was importing is removed.
    static void drop_unfinished_imports(sqlite::connection& db);

private:
    task<> make_room();

    static constexpr std::size_t cached_bytes = 32 << 20;
    static constexpr int steps_at_once = 8;

    sqlite::database& db_;
    sqlite::state_cache cache_{cached_bytes};
};

}    // namespace caisson
