#include "app/server/tenants.hpp"

namespace caisson {

namespace {

std::size_t count(std::int64_t value) { return static_cast<std::size_t>(value); }

tenant_bounds tenant_bounds_of(const tenant_config& tenant, const tenant_bounds& others)
{
    return {tenant.weight, tenant.max_running < 0 ? others.max_running : count(tenant.max_running),
        tenant.max_queued < 0 ? others.max_queued : count(tenant.max_queued)};
}

}    // namespace

admission_bounds bounds_of(const server_config& config)
{
    const auto& from = config.executions;
    admission_bounds out;
    out.max_running = count(from.max_running);
    out.max_queued = count(from.max_queued);
    out.max_waiting_bytes = static_cast<std::uint64_t>(from.max_waiting_bytes);
    out.tenant_max_waiting_bytes = static_cast<std::uint64_t>(from.tenant_max_waiting_bytes);
    out.any_tenant = {1, count(from.tenant_max_running), count(from.tenant_max_queued)};
    return out;
}

task<result<std::map<tenant_id, tenant_bounds>>> find_tenants(
    key_store* keys, id_factory* ids, const server_config* config, std::int64_t now_ms)
{
    const auto others = bounds_of(*config).any_tenant;
    std::map<tenant_id, tenant_bounds> out;
    for (const auto& [name, tenant] : config->tenants) {
        const auto id = co_await keys->ensure_tenant(name, ids->make<tenant_id>(), now_ms);
        if (id.has_error())
            co_return id.error();
        out.emplace(*id, tenant_bounds_of(tenant, others));
    }
    co_return out;
}

}    // namespace caisson
