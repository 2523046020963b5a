#pragma once

#include "storage/stores/thread_rows.hpp"

namespace caisson::sqlite {

/// thread_store::save() in a write transaction of the caller's, which is to be rolled back on an error.
result<saved_checkpoint> save_checkpoint(
    connection& db, const checkpoint_draft& draft, const retention_policy& defaults, const thread_bounds_of_tenant& bounds);

/// The same of roll_back_by_copy() and branch().
result<checkpoint_row> copy_to_end(connection& db, stored_thread& thread, const checkpoint_id& to, const checkpoint_id& copy,
    std::int64_t now_ms, const thread_bounds_of_tenant& bounds);
result<thread_row> branch_off(connection& db, const stored_thread& from, const std::optional<checkpoint_id>& of, const thread_name& name,
    const checkpoint_id& copy, std::int64_t now_ms, const thread_bounds_of_tenant& bounds);

/// The thread, which is made if it is not there.
stored_thread ensure_thread(
    connection& db, const tenant_id& tenant, const thread_name& name, const retention_policy& defaults, std::int64_t now_ms);

}    // namespace caisson::sqlite
