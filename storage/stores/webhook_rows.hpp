#pragma once

#include "core/exec/types.hpp"
#include "storage/sqlite/connection.hpp"

namespace caisson::sqlite {

// What executions' records do with their webhooks, in a write transaction of records.db.

/// Of a new execution; due at once if that has ended. Nothing if it has none.
void insert_webhook(connection& db, const execution_row& row, const execution_spec& spec);
/// The execution has ended: it is due. Nothing if it has none.
void make_webhook_due(connection& db, const execution_row& row);

}    // namespace caisson::sqlite
