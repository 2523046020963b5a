// GET /v1/stats.

#include "app/doors/rest/service/service_door.hpp"
#include "app/wire/stats_view.hpp"
#include "core/threads/thread_service.hpp"

namespace caisson::http {

task<result<wire::tenant_stats>> service_door::stats_of(tenant_id tenant)
{
    wire::tenant_stats found;
    const auto load = use_.executions.load(tenant);
    found.running = load.running;
    found.waiting = load.waiting;
    auto ended = co_await use_.executions.totals(tenant);
    if (ended.has_error())
        co_return ended.error();
    found.ended = std::move(*ended);
    auto threads = co_await use_.threads->usage(tenant);
    if (threads.has_error())
        co_return threads.error();
    found.threads = *threads;
    found.max_thread_bytes = use_.config.threads.max_bytes_per_tenant;
    const auto files = co_await use_.artifacts->usage(tenant);
    if (files.has_error())
        co_return files.error();
    found.files = files->artifacts;
    found.file_bytes = files->artifact_bytes;
    const auto packages = co_await use_.skill_records->usage(tenant);
    if (packages.has_error())
        co_return packages.error();
    found.skills = packages->skills;
    found.packages = packages->packages;
    found.package_bytes = packages->bytes;
    const auto stored = co_await use_.contents->stored_bytes(tenant);
    if (stored.has_error())
        co_return stored.error();
    found.stored_bytes = *stored;
    found.max_execution_bytes = use_.config.executions.max_bytes_per_tenant;
    found.max_file_bytes = use_.config.artifacts.max_bytes_per_tenant;
    found.max_package_bytes = use_.config.skills.max_bytes_per_tenant;
    found.retention_ms = use_.config.artifacts.retention_ms;
    co_return found;
}

task<> service_door::get_stats(call_ptr call)
{
    auto found = co_await stats_of(call->who.tenant);
    if (found.has_error())
        co_await call->fail(found.error());
    else
        co_await call->answer(200, wire::stats_json(*found));
}

}    // namespace caisson::http
