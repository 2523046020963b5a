#pragma once

#include "adapters/net/server.hpp"
#include "core/admission/admission_bounds.hpp"
#include "core/async/task.hpp"
#include "core/auth/ports.hpp"
#include "core/base/config.hpp"
#include "core/exec/execution_service.hpp"

namespace caisson {

/// The bounds of the config, without those of single tenants.
admission_bounds bounds_of(const server_config& config);
retention_bounds retention_of(const execution_config& config);

/// How many executions a tenant for whom the config says nothing may run at once, on a server where so many tenants have keys. By default
/// one that is alone has no bound of its own; else a quarter of the places, one at least, is left to the others, if there are two.
std::size_t places_of_tenant(const execution_config& config, std::size_t tenants);

/// How much memory the executions that run of one tenant may be promised, likewise.
std::uint64_t memory_of_tenant(const execution_config& config, std::size_t tenants);

/// What a tenant's connections may hold, likewise: three quarters of the connections and of the room for bodies where there are two
/// tenants.
net::owner_bounds bounds_of_owners(const http_config& config, std::size_t tenants);

/// What bounds tenants. All outlive the calls below.
struct tenant_parts {
    key_store& keys;
    id_factory& ids;
    const server_config& config;
    execution_service& executions;
    net::server& http;
    timers& time;
};

/// Tells the executions and the server of HTTP the bounds of all tenants. One of the config that does not exist yet is made, so that a key
/// made for it later finds its bounds. Errors: what the store says.
task<result<void>> bound_tenants(tenant_parts with);
/// Counts the tenants again every few seconds, until it is cancelled: keys come and go while the server runs.
task<> keep_tenants_bounded(tenant_parts with);

}    // namespace caisson
