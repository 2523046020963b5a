#pragma once

#include "core/exec/types.hpp"
#include "storage/sqlite/statement.hpp"

namespace caisson::sqlite {

/// Binds what sql/execution/insert.sql begins with: what an update leaves alone.
void bind_fixed(statement& into, const execution_row& row);
/// Binds what sql/execution/insert.sql ends with and update.sql begins with. `kept_bytes` is that of an end, else 0.
void bind_changing(statement& into, const execution_row& row, std::int64_t kept_bytes);
/// Reads the columns that every SELECT of sql/execution begins with, in their order.
execution_row execution_from(column_reader& columns);

}    // namespace caisson::sqlite
