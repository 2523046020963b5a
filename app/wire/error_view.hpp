#pragma once

#include "app/wire/json_writer.hpp"
#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::wire {

/// The body of every error response: {"error","message","details":{"fields":[{"field","message"}],"limit",…},"request_id"}. `details` has
/// the invalid fields, or the numbers of the limit that was reached; it is omitted if there are none.
std::string error_json(const error& what, std::string_view request_id);

/// Writes `details` of an error as the next member of an object, if there are any.
void write_error_details(json_writer& out, const error& what);

}    // namespace caisson::wire
