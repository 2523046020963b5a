#pragma once

#include "app/wire/request_reader.hpp"
#include "core/languages/compiler_choices.hpp"
#include "core/languages/languages.hpp"

namespace caisson::wire {

/// Reads the field `compiler`: {"std", "flags"}, by the compiler_choices of the language. A null `what` only marks it as known.
compiler_wishes read_compiler(object_reader& reader, const language* what);

}    // namespace caisson::wire
