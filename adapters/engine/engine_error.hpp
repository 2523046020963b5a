#pragma once

#include "core/base/error.hpp"

#include <string_view>

namespace caisson::docker {

/// What an engine's answer of `status` that is no success stands for, with the engine's own message out of `body` in the detail:
/// errc::bad_request (400 and others), errc::forbidden (401, 403), errc::not_found, errc::conflict (409), errc::runtime_unavailable (5xx,
/// 429, and what is no answer to such a request at all).
error engine_error(int status, std::string_view body);

/// An answer that no engine would give.
error not_an_engine(std::string_view why);

}    // namespace caisson::docker
