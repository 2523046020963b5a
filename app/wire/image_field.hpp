#pragma once

#include "app/wire/execution_request.hpp"

namespace caisson::wire {

/// True if the sandbox of `spec` is made from an image.
bool runs_in_image(const wire_context& context, const execution_spec& spec);

/// Reads `image` into the spec; call after its runtime is read. Refuses an image on a runtime without images, or with a skill.
void read_image(object_reader& reader, const wire_context& context, execution_spec& spec);

/// Sets the default image, for the language or for commands, if the request names none; a problem if commands have none. Call after
/// read_program().
void settle_image(object_reader& reader, const wire_context& context, execution_spec& spec);

}    // namespace caisson::wire
