#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace caisson {

/// One tenant's bounds, and its weight where tenants compete.
struct tenant_bounds {
    std::int64_t weight = 1;                                  // 1 to 100
    std::optional<std::size_t> max_running = std::nullopt;    // default: admission_bounds::tenant_max_running
    std::size_t max_queued = SIZE_MAX;
};

/// Bounds on running and queued executions.
struct admission_bounds {
    std::size_t max_running = 4;
    std::size_t tenant_max_running = SIZE_MAX;              // for tenants without tenant_bounds::max_running
    std::uint64_t max_memory_bytes = UINT64_MAX;            // sum of limits.memory_bytes and limits.disk_bytes of running executions
    std::uint64_t tenant_max_memory_bytes = UINT64_MAX;     // the same, per tenant
    std::size_t max_queued = 10'000;                        // of all tenants
    std::uint64_t max_waiting_bytes = 512 << 20;            // programs, files and stdin of queued executions
    std::uint64_t tenant_max_waiting_bytes = UINT64_MAX;    // the same, per tenant
    tenant_bounds any_tenant;                               // for tenants not in `tenants`
    std::map<tenant_id, tenant_bounds> tenants = {};
};

}    // namespace caisson
