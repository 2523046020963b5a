#pragma once

#include "adapters/net/server.hpp"
#include "core/admission/admission_bounds.hpp"
#include "core/async/task.hpp"
#include "core/auth/ports.hpp"
#include "core/base/config.hpp"
#include "core/exec/execution_service.hpp"

namespace caisson {

/// The config's bounds, without those of named tenants.
admission_bounds bounds_of(const server_config& config);
retention_bounds retention_of(const execution_config& config);

/// How many executions a tenant without settings of its own may run at once, if `tenants` have keys. The config's value, else: no bound for
/// a single tenant; with more tenants a quarter of the places, at least one, is left to the others if there are two places.
std::size_t places_of_tenant(const execution_config& config, std::size_t tenants);

/// How many bytes of memory the running executions of one tenant may be promised. Unbounded for a single tenant, or without a bound for
/// all; else a quarter is left to the others.
std::uint64_t memory_of_tenant(const execution_config& config, std::size_t tenants);

/// Bounds of one tenant's connections: the config's value, else three quarters of all if there are two tenants or more. Their bodies get
/// three quarters of the memory for bodies then.
net::owner_bounds bounds_of_owners(const http_config& config, std::size_t tenants);

/// What the calls below use. All outlive them.
struct tenant_parts {
    key_store& keys;
    id_factory& ids;
    const server_config& config;
    execution_service& executions;
    net::server& http;
    timers& time;
};

/// Sets the bounds of all tenants in the execution service and the HTTP server. Creates the config's tenants that do not exist, so that
/// later keys find their bounds. Errors: those of the store.
task<result<void>> bound_tenants(tenant_parts with);
/// Counts the tenants every two seconds until cancelled, since keys come and go while the server runs.
task<> keep_tenants_bounded(tenant_parts with);

}    // namespace caisson
