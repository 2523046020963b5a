#pragma once

#include "adapters/net/http_types.hpp"
#include "core/auth/types.hpp"
#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::http {

/// True if the request has a key field, valid or not.
bool presents_key(const net::request& from);

/// The key of a request: from "Authorization: Bearer", or from X-API-Key if there is no Authorization. Errors: errc::unauthorized, whose
/// detail begins as the skill runner's contract says; errc::bad_request if a field is given twice.
result<std::string> presented_key(const net::request& from);

/// The reason given when a key ends during a request or a connection.
inline constexpr std::string_view key_is_over = "the API key was revoked or has expired";

/// The answer to a waiting request whose key has ended: errc::unauthorized.
error ended_key();

/// True if X-Tenant-ID is absent or empty, or is given once with the id or the name of `who`'s tenant.
bool names_tenant(const net::request& from, const principal& who);

}    // namespace caisson::http
