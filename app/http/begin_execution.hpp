#pragma once

#include "app/http/services.hpp"

#include <optional>

namespace caisson::http {

/// execution_service::submit_once() with a claim, submit() without. `use` outlives the call.
task<result<execution_service::submission>> begin_execution(
    const api_services* use, tenant_id tenant, execution_spec spec, std::optional<idempotency_claim> claim);

}    // namespace caisson::http
