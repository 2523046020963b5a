#pragma once

#include "core/sandbox/ports.hpp"
#include "storage/sqlite/database.hpp"

namespace caisson {

namespace sqlite {
/// In a write transaction of records.db. Errors: errc::conflict if the id exists.
result<void> insert_sandbox(connection& db, const sandbox_row& row);
}    // namespace sqlite

/// Sandboxes in records.db, which must outlive the store.
class sqlite_sandbox_store : public sandbox_store {
public:
    explicit sqlite_sandbox_store(sqlite::database& db) : db_(db) { }

    task<result<void>> insert(sandbox_row row) override;
    task<result<void>> update(
        sandbox_id id, sandbox_state state, std::string runtime_state, std::string cause, std::optional<std::int64_t> ended_at_ms) override;
    task<result<sandbox_row>> find(sandbox_id id) override;
    task<result<std::vector<sandbox_row>>> alive() override;
    task<result<void>> end(sandbox_id id, std::string cause, std::int64_t ended_at_ms) override;
    task<result<std::size_t>> erase_ended(std::int64_t before_ms, std::size_t limit) override;

private:
    sqlite::database& db_;
};

}    // namespace caisson
