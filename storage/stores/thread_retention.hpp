#pragma once

#include "storage/stores/thread_rows.hpp"

#include <cstddef>

namespace caisson::sqlite {

// What goes of threads, in a write transaction of the caller's.

/// So many checkpoints go with one write that is about something else.
inline constexpr std::size_t most_dropped_aside = 64;

/// A checkpoint that goes.
struct going_checkpoint {
    std::int64_t position = 0;
    std::int64_t state_key = 0;
    std::int64_t created_at_ms = 0;
    bool pinned = false;
    bool is_branched_off = false;
    std::string artifacts;
    std::int64_t bytes = 0;    // as thread_totals counts them
};

std::optional<going_checkpoint> find_going(connection& db, std::int64_t thread_key, const checkpoint_id& id);
/// Hangs its children on its parent, and removes it.
void drop_checkpoint(connection& db, stored_thread& thread, const going_checkpoint& checkpoint);

/// Drops what plan_retention() says, the oldest first, at most `limit`; then stores the thread, with when the next one's time is over.
/// Says which positions went.
std::vector<std::int64_t> settle_thread(connection& db, stored_thread& thread, std::int64_t now_ms, std::size_t limit);

/// Removes all behind `position`. Errors: errc::conflict if one of them is pinned.
result<std::int64_t> drop_behind(connection& db, stored_thread& thread, std::int64_t position);

/// Nobody finds the thread any more; false if there is none.
bool take_name(connection& db, const tenant_id& tenant, const thread_name& name);
/// A step of the removal of threads without a name; true if there may be more to remove.
bool erase_some_checkpoints(connection& db);
/// The same as a step of what a writer does when nothing waits.
bool tidy_threads(connection& db);

}    // namespace caisson::sqlite
