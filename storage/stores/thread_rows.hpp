#pragma once

#include "core/threads/ports.hpp"
#include "storage/content/state_rows.hpp"
#include "storage/sqlite/connection.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caisson::sqlite {

// Threads and checkpoints of records.db. What changes something does so in a write transaction of the caller's.

/// A thread as it is stored. Its numbers are changed here first, and stored by change_thread().
struct stored_thread {
    thread_row row;
    std::optional<std::int64_t> expires_at_ms;
    totals_change uncounted;    // of its tenant's
};

std::optional<stored_thread> find_thread(connection& db, const tenant_id& tenant, const thread_name& name);
std::optional<stored_thread> find_thread_by_key(connection& db, const tenant_id& tenant, std::int64_t key);
/// From a row of the statements that read threads.
stored_thread thread_from(const statement& query);
/// What a new one branched off.
struct thread_source {
    std::int64_t key = 0;
    std::int64_t position = 0;
    checkpoint_place place;
};
/// `name` empty: it is being imported.
stored_thread insert_thread(connection& db, const tenant_id& tenant, const thread_name& name, const retention_policy& policy,
    std::int64_t now_ms, const std::optional<thread_source>& source = std::nullopt);
/// What is uncounted is counted.
void change_thread(connection& db, stored_thread& thread);
error no_thread(const thread_name& name);
error no_checkpoint(const checkpoint_id& id);

/// The newest of a thread.
struct last_checkpoint {
    std::int64_t position = 0;
    checkpoint_id id;
    std::int64_t created_at_ms = 0;
};
std::optional<last_checkpoint> find_last(connection& db, std::int64_t thread_key);

/// A checkpoint with the key of its state.
struct stored_checkpoint {
    checkpoint_row row;
    std::int64_t state_key = 0;
    std::string digest;     // of the state, raw
    std::string request;    // as loaded_checkpoint has it
};
/// From a row of sql/checkpoint/find.sql or the lists.
stored_checkpoint checkpoint_from(const statement& query, const stored_thread& thread);
std::optional<stored_checkpoint> find_checkpoint(connection& db, const stored_thread& thread, const checkpoint_id& id);
/// `id` nothing: the latest. Errors: errc::not_found.
result<stored_checkpoint> find_or_latest(connection& db, const stored_thread& thread, const std::optional<checkpoint_id>& id);
/// Nothing if there is none.
std::optional<std::int64_t> find_position(connection& db, std::int64_t thread_key, const checkpoint_id& id);
/// The tags as a column has them, and back.
std::string tags_text(const std::vector<std::string>& tags);
std::vector<std::string> tags_from(std::string_view text);

/// Puts `row` behind the others: it gets its position and a time that is not before theirs. Its state was used for it.
void append_checkpoint(connection& db, stored_thread& thread, checkpoint_row& row, std::optional<std::int64_t> parent_position,
    std::int64_t state_key, std::string_view request);
/// The same at a position of the row's own, of a thread that is imported.
void insert_checkpoint(connection& db, stored_thread& thread, const checkpoint_row& row, std::optional<std::int64_t> parent_position,
    std::int64_t state_key, std::string_view request);
/// What a row takes without its texts, about.
inline constexpr std::int64_t checkpoint_row_bytes = 200;

/// What was changed of the tenant's is counted.
void add_to_totals(connection& db, const tenant_id& tenant, const totals_change& change);
thread_usage thread_usage_of(connection& db, const tenant_id& tenant);
/// Errors: errc::quota_exceeded if the tenant has more than it may and more than `before`.
result<void> check_usage(connection& db, const tenant_id& tenant, const thread_usage& before, const thread_bounds_of_tenant& bounds);

}    // namespace caisson::sqlite
