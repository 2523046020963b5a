#pragma once

#include "app/wire/json_writer.hpp"
#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::wire {

/// The body of every error answer: {"error","message","details":{"fields":[{"field","message"}],"limit",…},"request_id"}. `details`
/// is left out if there are none: fields that are wrong, or the numbers behind a refusal for lack of room.
std::string error_json(const error& what, std::string_view request_id);

/// Its "details" as the next member of an object, if there are any.
void write_error_details(json_writer& out, const error& what);

}    // namespace caisson::wire
