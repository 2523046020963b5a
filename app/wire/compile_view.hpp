#pragma once

#include "app/wire/json_writer.hpp"
#include "core/exec/types.hpp"

namespace caisson::wire {

enum class compiler_output { whole, left_out };

/// "compile" of a record whose code was compiled, or could not be. Lists leave the compiler's output out.
void write_compile(json_writer& out, const execution_row& row, compiler_output output);

}    // namespace caisson::wire
