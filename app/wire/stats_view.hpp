#pragma once

#include "core/exec/types.hpp"
#include "core/threads/ports.hpp"

#include <cstdint>
#include <string>

namespace caisson::wire {

/// A tenant's usage and limits.
struct tenant_stats {
    std::size_t running = 0;    // executions
    std::size_t waiting = 0;
    execution_totals ended;
    std::int64_t files = 0;    // artifacts
    std::int64_t file_bytes = 0;
    std::int64_t skills = 0;
    std::int64_t packages = 0;    // all revisions of all skill versions
    std::int64_t package_bytes = 0;
    std::int64_t stored_bytes = 0;    // of files and packages, deduplicated
    thread_usage threads;
    std::int64_t max_execution_bytes = 0;    // 0: no limit
    std::int64_t max_thread_bytes = 0;
    std::int64_t max_file_bytes = 0;
    std::int64_t max_package_bytes = 0;
    std::int64_t retention_ms = 0;
};

/// GET /v1/stats.
std::string stats_json(const tenant_stats& from);

}    // namespace caisson::wire
