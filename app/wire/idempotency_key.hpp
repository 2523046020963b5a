#pragma once

#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::wire {

/// Parses an Idempotency-Key field: a quoted string as in draft-ietf-httpapi-idempotency-key-header, or the same without quotes; 1 to 255
/// printable ASCII characters. Errors: errc::bad_request.
result<std::string> parse_idempotency_key(std::string_view field);

}    // namespace caisson::wire
