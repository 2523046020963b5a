#pragma once

#include "adapters/net/http_types.hpp"
#include "core/auth/types.hpp"
#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::http {

/// Whether a request names a key at all, be it a good one or not.
bool presents_key(const net::request& from);

/// The key of a request: of Authorization: Bearer, or X-API-Key where there is no Authorization. Errors: errc::unauthorized, in words
/// that begin like those of the skill runner's contract; errc::bad_request if one of the fields is there twice.
result<std::string> presented_key(const net::request& from);

/// The reason that is given when a key ends while it is served.
inline constexpr std::string_view key_is_over = "the API key was revoked or has expired";

/// The answer to a request that has waited since before its key was over: errc::unauthorized.
error ended_key();

/// Whether X-Tenant-ID, if it is there and not empty, is there once and is the id or the name of `who`'s tenant.
bool names_tenant(const net::request& from, const principal& who);

}    // namespace caisson::http
