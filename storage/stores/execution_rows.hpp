#pragma once

#include "core/base/error.hpp"
#include "core/exec/types.hpp"
#include "storage/sqlite/connection.hpp"

namespace caisson::sqlite {

// Records of executions with what hangs on them: labels, spec, payload. The writing ones in a write transaction of records.db.

/// Errors: errc::not_found.
result<execution_row> find_execution(connection& db, const tenant_id& tenant, const execution_id& id);
/// As execution_store's calls say it.
result<execution_payload> find_payload(connection& db, const tenant_id& tenant, const execution_id& id, std::size_t most_bytes);
result<payload_piece> read_payload(
    connection& db, const tenant_id& tenant, const execution_id& id, payload_part part, std::uint64_t offset, std::size_t most_bytes);
/// `kept_bytes` is that of an end, in the next one too. With `has_body` contents are in a body that was written ahead. Errors:
/// errc::conflict if the id exists.
result<void> insert_execution(
    connection& db, const execution_row& row, const execution_spec& spec, std::int64_t kept_bytes = 0, bool has_body = false);
/// As execution_store::update() says it.
result<void> update_execution(connection& db, const execution_row& row, std::int64_t kept_bytes = 0);
/// What a change that found no unfinished row of this id answers.
error refused_change(connection& db, const tenant_id& tenant, const execution_id& id);

}    // namespace caisson::sqlite
