#pragma once

#include "app/wire/json_writer.hpp"
#include "core/exec/types.hpp"

namespace caisson::wire {

/// The members `attempts` and `next_attempt_at` of an execution's object; neither before the first attempt.
void write_attempts(json_writer& out, const execution_row& row);

}    // namespace caisson::wire
