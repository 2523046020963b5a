#include "app/server/tenants.hpp"

#include "app/server/transport.hpp"
#include "core/async/without_exceptions.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

namespace caisson {

namespace {

constexpr std::size_t several = 2;

std::size_t count(std::int64_t value) { return static_cast<std::size_t>(value); }

constexpr auto between_counts = std::chrono::seconds(2);

/// Leaves a quarter, at least one, to the others.
std::size_t largest_share(std::size_t all) { return all - std::max<std::size_t>(1, all / 4); }

tenant_bounds tenant_bounds_of(const tenant_config& tenant, const tenant_bounds& others)
{
    return {tenant.weight, tenant.max_running < 0 ? std::nullopt : std::optional(count(tenant.max_running)),
        tenant.max_queued < 0 ? others.max_queued : count(tenant.max_queued)};
}

task<result<void>> count_tenants(tenant_parts with)
{
    const auto counted = co_await with.keys.count_tenants(with.time.now_ms(), several);
    if (counted.has_error())
        co_return counted.error();
    const auto memory = memory_of_tenant(with.config.executions, *counted);
    with.executions.set_tenant_most(places_of_tenant(with.config.executions, *counted), memory);
    with.http.set_owner_bounds(bounds_of_owners(with.config.http, *counted));
    co_return result<void>();
}

}    // namespace

retention_bounds retention_of(const execution_config& config)
{
    retention_bounds bounds;
    bounds.max_bytes_per_tenant = config.max_bytes_per_tenant;
    bounds.remove_oldest = config.remove_oldest;
    bounds.max_age = std::chrono::milliseconds(config.retention_ms);
    return bounds;
}

admission_bounds bounds_of(const server_config& config)
{
    const auto& from = config.executions;
    admission_bounds out;
    out.max_running = count(from.max_running);
    out.max_queued = count(from.max_queued);
    out.max_waiting_bytes = static_cast<std::uint64_t>(from.max_waiting_bytes);
    out.tenant_max_waiting_bytes = static_cast<std::uint64_t>(from.tenant_max_waiting_bytes);
    out.tenant_max_running = places_of_tenant(from, 1);
    if (from.max_memory_bytes > 0)
        out.max_memory_bytes = static_cast<std::uint64_t>(from.max_memory_bytes);
    out.any_tenant = {1, std::nullopt, count(from.tenant_max_queued)};
    return out;
}

std::size_t places_of_tenant(const execution_config& config, std::size_t tenants)
{
    if (config.tenant_max_running > 0)
        return count(config.tenant_max_running);
    const auto all = count(config.max_running);
    if (tenants < several || all == 1)
        return SIZE_MAX;    // a tenant at a bound of its own does not queue for a place, which is not wanted here
    return largest_share(all);
}

std::uint64_t memory_of_tenant(const execution_config& config, std::size_t tenants)
{
    if (config.max_memory_bytes == 0 || tenants < several)
        return UINT64_MAX;
    return largest_share(count(config.max_memory_bytes));
}

net::owner_bounds bounds_of_owners(const http_config& config, std::size_t tenants)
{
    net::owner_bounds bounds;
    if (config.tenant_max_connections > 0)
        bounds.connections = count(config.tenant_max_connections);
    if (tenants < several)
        return bounds;
    if (config.tenant_max_connections == 0 && config.max_connections > 1)
        bounds.connections = largest_share(count(config.max_connections));
    bounds.bodies_bytes = largest_share(http_options(config).max_bodies_bytes);
    return bounds;
}

task<result<void>> bound_tenants(tenant_parts with)
{
    const auto others = bounds_of(with.config).any_tenant;
    std::map<tenant_id, tenant_bounds> named;
    for (const auto& [name, tenant] : with.config.tenants) {
        const auto id = co_await with.keys.ensure_tenant(name, with.ids.make<tenant_id>(), with.time.now_ms());
        if (id.has_error())
            co_return id.error();
        named.emplace(*id, tenant_bounds_of(tenant, others));
    }
    with.executions.set_tenants(std::move(named));
    co_return co_await count_tenants(with);
}

task<> keep_tenants_bounded(tenant_parts with)
{
    for (;;) {
        co_await with.time.wait_for(between_counts);
        auto counting = without_exceptions(count_tenants(with));
        static_cast<void>(co_await std::move(counting));    // the store logs its own errors, and the next count comes soon
    }
}

}    // namespace caisson
