#pragma once

#include "core/base/error.hpp"

#include <string_view>

namespace caisson::docker {

/// The error for an engine's response that is not a success, with the engine's message from `body` in the detail: errc::forbidden
/// (401, 403), errc::not_found (404), errc::timed_out (408), errc::conflict (409), errc::bad_request (other 4xx),
/// errc::runtime_unavailable (429, 5xx and all others).
error engine_error(int status, std::string_view body);

/// The error for a response that no Docker engine would send.
error not_an_engine(std::string_view why);

}    // namespace caisson::docker
