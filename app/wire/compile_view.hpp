#pragma once

#include "app/wire/json_writer.hpp"
#include "core/exec/types.hpp"

namespace caisson::wire {

enum class compiler_output { whole, left_out };

/// Writes the member `compile` if the record has a compilation, successful or not. Lists omit the compiler's output.
void write_compile(json_writer& out, const execution_row& row, compiler_output output);

}    // namespace caisson::wire
