#pragma once

#include "adapters/net/http_types.hpp"
#include "app/http/services.hpp"
#include "core/auth/types.hpp"

#include <optional>

namespace caisson::http {

/// The claim of a request that has an Idempotency-Key, with the digest of its body as it came; nothing without one. Errors:
/// errc::bad_request for a key that is malformed or given twice.
result<std::optional<idempotency_claim>> claim_of(const net::request& from, std::string_view route, digest_function digest);

/// Completes a request that names a skill (skill_runs::prepare()), then execution_service::submit_once() with a claim, submit_awaited()
/// or submit() without. A repeat under a claim is answered whether or not its skill is still there. `use` outlives the call.
task<result<execution_service::submission>> begin_execution(const api_services* use, principal who, wire::parsed_execution asked,
    std::optional<idempotency_claim> claim, execution_service::answered when);

}    // namespace caisson::http
