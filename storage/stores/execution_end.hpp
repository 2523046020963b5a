#pragma once

#include "core/exec/ports.hpp"
#include "storage/sqlite/connection.hpp"

namespace caisson::sqlite {

/// execution_store::finish() of an end with a checkpoint, in a write transaction of the caller's, which is to be rolled back on an error. A
/// checkpoint that cannot be saved leaves nothing, and the record says why.
result<void> finish_with_checkpoint(connection& db, const execution_end& end);

}    // namespace caisson::sqlite
