#pragma once

#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::wire {

/// The body of every error answer: {"error","message","details":{"fields":[{"field","message"}]},"request_id"}. `details` is left
/// out if no field is named.
std::string error_json(const error& what, std::string_view request_id);

}    // namespace caisson::wire
