#pragma once

#include "core/exec/ports.hpp"
#include "storage/sqlite/database.hpp"

namespace caisson {

/// Events of executions in events.db, or, where the whole log was stored with the record's end, in records.db. Both must outlive the store.
class sqlite_event_store : public event_store {
public:
    sqlite_event_store(sqlite::database& events, sqlite::database& records) : db_(events), records_(records) { }

    /// Errors: errc::conflict if another event is stored with the same seq.
    task<result<void>> append(execution_id id, event_list events, std::vector<stream_cut> cuts) override;
    /// At most 4096 events.
    task<result<event_list>> read(execution_id id, log_position after, std::size_t max_bytes) override;
    task<result<log_extent>> extent(execution_id id) override;
    /// On return nobody finds the events any more; their rows are removed afterwards, by erase_some_events().
    task<result<void>> erase(execution_id id) override;

private:
    sqlite::database& db_;
    sqlite::database& records_;
};

namespace sqlite {

/// A whole log, in records.db, in a write transaction of the caller's. Errors: errc::conflict if another event is stored with the same seq.
result<void> insert_whole_log(connection& db, const execution_id& id, const event_list& events);
/// What insert_whole_log() stored, if anything; as there.
void erase_whole_log(connection& db, const execution_id& id);

/// Removes some rows of logs that were erased; true if there may be more. An interrupted removal goes on with the next call.
bool erase_some_events(connection& db);

}    // namespace sqlite

}    // namespace caisson
