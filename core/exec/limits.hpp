#pragma once

#include "core/base/config.hpp"
#include "core/exec/types.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace caisson {

/// One limit: its name on the wire and where its range and its value are. "cpus" is counted in thousandths here.
struct limit_field {
    std::string_view name;
    limit_range execution_limit_ranges::* range;
    std::int64_t execution_limits::* value;
};

/// All limits, in the order in which the API shows them.
inline constexpr std::array<limit_field, 11> limit_fields{{
    {"wall_ms", &execution_limit_ranges::wall_ms, &execution_limits::wall_ms},
    {"cpu_ms", &execution_limit_ranges::cpu_ms, &execution_limits::cpu_ms},
    {"memory_bytes", &execution_limit_ranges::memory_bytes, &execution_limits::memory_bytes},
    {"cpus", &execution_limit_ranges::cpu_milli, &execution_limits::cpu_milli},
    {"pids", &execution_limit_ranges::pids, &execution_limits::pids},
    {"disk_bytes", &execution_limit_ranges::disk_bytes, &execution_limits::disk_bytes},
    {"inodes", &execution_limit_ranges::inodes, &execution_limits::inodes},
    {"file_bytes", &execution_limit_ranges::file_bytes, &execution_limits::file_bytes},
    {"open_files", &execution_limit_ranges::open_files, &execution_limits::open_files},
    {"stack_bytes", &execution_limit_ranges::stack_bytes, &execution_limits::stack_bytes},
    {"max_output_bytes", &execution_limit_ranges::max_output_bytes, &execution_limits::max_output_bytes},
}};

}    // namespace caisson
