#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace caisson {

/// What one tenant may have at once, and its part where tenants compete.
struct tenant_bounds {
    std::int64_t weight = 1;                                  // 1 to 100
    std::optional<std::size_t> max_running = std::nullopt;    // nothing: as admission_bounds::tenant_max_running
    std::size_t max_queued = SIZE_MAX;
};

/// How many executions run and wait.
struct admission_bounds {
    std::size_t max_running = 4;
    std::size_t tenant_max_running = SIZE_MAX;              // of a tenant whose bounds do not say
    std::uint64_t max_memory_bytes = UINT64_MAX;            // of all that run: limits.memory_bytes and limits.disk_bytes
    std::uint64_t tenant_max_memory_bytes = UINT64_MAX;     // those of one tenant
    std::size_t max_queued = 10'000;                        // that cannot start at once, of all tenants
    std::uint64_t max_waiting_bytes = 512 << 20;            // what they hold: programs, files, stdin
    std::uint64_t tenant_max_waiting_bytes = UINT64_MAX;    // those of one tenant
    tenant_bounds any_tenant;                               // who is not in `tenants`
    std::map<tenant_id, tenant_bounds> tenants = {};
};

}    // namespace caisson
