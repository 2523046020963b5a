#pragma once

#include "app/wire/execution_request.hpp"

namespace caisson::wire {

/// Whether the sandbox of `spec` is made of an image.
bool runs_in_image(const wire_context& context, const execution_spec& spec);

/// Reads `image` into the spec, whose runtime was read before. Notes one where there are none, or beside a skill.
void read_image(object_reader& reader, const wire_context& context, execution_spec& spec);

/// Where the request names no image: that of the program's language, or of commands. Notes that there is none. Behind read_program().
void settle_image(object_reader& reader, const wire_context& context, execution_spec& spec);

}    // namespace caisson::wire
