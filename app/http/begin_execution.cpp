#include "app/http/begin_execution.hpp"

namespace caisson::http {

task<result<execution_service::submission>> begin_execution(
    const api_services* use, tenant_id tenant, execution_spec spec, std::optional<idempotency_claim> claim)
{
    auto& service = use->executions;
    if (claim) {
        auto once = service.submit_once(std::move(tenant), std::move(spec), std::move(*claim));
        co_return co_await std::move(once);
    }
    auto row = co_await service.submit(std::move(tenant), std::move(spec));
    if (row.has_error())
        co_return row.error();
    co_return execution_service::submission{std::move(*row), false};
}

}    // namespace caisson::http
