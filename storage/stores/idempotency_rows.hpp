#pragma once

#include "core/base/error.hpp"
#include "core/exec/types.hpp"
#include "storage/sqlite/connection.hpp"

namespace caisson::sqlite {

// Used Idempotency-Keys in records.db, as parts of an execution_store's transactions.

/// Keys that a tenant has, expired ones too.
std::size_t count_keys(connection& db, const tenant_id& tenant);
/// Errors: errc::conflict if the key is in use; errc::quota_exceeded if the tenant has `most_keys`.
result<void> insert_key(connection& db, const idempotency_record& key, std::size_t most_keys);
/// Errors: errc::not_found.
result<idempotency_record> find_key(connection& db, const tenant_id& tenant, const std::string& route, const std::string& key);
/// How many were removed.
std::size_t erase_expired_keys(connection& db, std::int64_t now_ms, std::size_t limit);

}    // namespace caisson::sqlite
