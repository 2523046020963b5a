#pragma once

#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::wire {

/// The key of an Idempotency-Key field: the text in quotes that draft-ietf-httpapi-idempotency-key-header asks for, or the
/// same without quotes; 1 to 255 printable ASCII characters. Errors: errc::bad_request.
result<std::string> parse_idempotency_key(std::string_view field);

}    // namespace caisson::wire
