#pragma once

#include "app/wire/json_writer.hpp"
#include "core/exec/types.hpp"

namespace caisson::wire {

/// Writes the members `attempts` and `next_attempt_at` of an execution's object, each only if it has a value.
void write_attempts(json_writer& out, const execution_row& row);

}    // namespace caisson::wire
