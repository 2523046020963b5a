#pragma once

#include "adapters/net/http_types.hpp"
#include "app/doors/http/services.hpp"
#include "core/auth/types.hpp"

#include <optional>

namespace caisson::http {

/// The claim of a request with an Idempotency-Key and the digest of its raw body; empty without the field. Errors: errc::bad_request if the
/// key is malformed or given twice.
result<std::optional<idempotency_claim>> claim_of(const net::request& from, std::string_view route, digest_function digest);

/// Completes the spec (skill_runs::prepare() if it names a skill), then submits it: with a claim by submit_once(), else by submit_awaited()
/// or submit(), as `when` says. A repeat under a claim is answered even if its skill is gone. `use` outlives the call.
task<result<execution_service::submission>> begin_execution(const api_services* use, principal who, wire::parsed_execution asked,
    std::optional<idempotency_claim> claim, execution_service::answered when);

}    // namespace caisson::http
