#pragma once

#include "core/threads/ports.hpp"
#include "storage/content/state_cache.hpp"
#include "storage/sqlite/connection.hpp"

#include <cstdint>
#include <optional>

namespace caisson::sqlite {

// States of records.db. The writing ones in a write transaction of the caller's.

/// What a tenant has more, or less, than thread_totals says.
struct totals_change {
    std::int64_t checkpoints = 0;
    std::int64_t states = 0;
    std::int64_t bytes = 0;
    bool operator==(const totals_change&) const = default;
};

/// Adds a state, or one more use of the same one, and gives its key. Nothing if what it was packed against is gone.
std::optional<std::int64_t> use_state(connection& db, const tenant_id& tenant, const packed_state& state, totals_change& uncounted);
/// Whether use_state() would add it.
bool can_use_state(connection& db, const tenant_id& tenant, const packed_state& state);
/// One use more of a state that is known to be there.
void use_state_again(connection& db, std::int64_t key);
/// The key of a state that the tenant has.
std::optional<std::int64_t> find_state(connection& db, const tenant_id& tenant, std::string_view digest);
/// One use less: with the last one it goes.
void release_state(connection& db, std::int64_t key, totals_change& uncounted);

/// `digest` is its own, raw. Throws storage_error if it is damaged.
shared_bytes load_state(connection& db, std::int64_t key, std::string_view digest, state_cache& cache);
/// The same of its own rows, also if the cache has it; what it was packed against may come from there.
std::string read_state(connection& db, std::int64_t key, state_cache& cache);
/// What a state that follows the one of `key` may be packed against.
packing_base load_base_of(connection& db, std::int64_t key, state_cache& cache);

}    // namespace caisson::sqlite
