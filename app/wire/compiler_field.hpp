#pragma once

#include "app/wire/request_reader.hpp"
#include "core/languages/compiler_choices.hpp"
#include "core/languages/languages.hpp"

namespace caisson::wire {

/// `compiler`: `{"std", "flags"}`, by what the language's compiler may be told. Null for `what`: the field is only marked as known.
compiler_wishes read_compiler(object_reader& reader, const language* what);

}    // namespace caisson::wire
