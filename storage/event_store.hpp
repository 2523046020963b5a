#pragma once

#include "core/exec/ports.hpp"
#include "storage/database.hpp"

namespace caisson {

/// Events of executions in events.db, which must outlive the store.
class sqlite_event_store : public event_store {
public:
    explicit sqlite_event_store(sqlite::database& db) : db_(db) { }

    /// Errors: errc::conflict if another event is stored with the same seq.
    task<result<void>> append(execution_id id, std::vector<std::shared_ptr<const log_event>> events, std::vector<stream_cut> cuts) override;
    /// At most 4096 events.
    task<result<std::vector<std::shared_ptr<const log_event>>>> read(execution_id id, log_position after, std::size_t max_bytes) override;
    task<result<log_extent>> extent(execution_id id) override;
    /// On return nobody finds the events any more; their rows are removed afterwards, by erase_some_events().
    task<result<void>> erase(execution_id id) override;

private:
    sqlite::database& db_;
};

namespace sqlite {

/// Removes some rows of logs that were erased; true if there may be more. An interrupted removal goes on with the next call.
bool erase_some_events(connection& db);

}    // namespace sqlite

}    // namespace caisson
