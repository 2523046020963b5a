#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace caisson {

enum class sandbox_state { creating, running, paused, stopped, destroyed, failed, lost };

/// Limits of a whole sandbox. All apply together; zero never means "unlimited".
struct sandbox_limits {
    std::int64_t memory_bytes = 0;
    std::int64_t cpu_milli = 0;    // thousandths of one core
    std::int64_t pids = 0;
    std::int64_t disk_bytes = 0;
    std::int64_t inodes = 0;
    auto operator<=>(const sandbox_limits&) const = default;
};

/// The record of a sandbox.
struct sandbox_row {
    sandbox_id id;
    tenant_id tenant;
    std::string runtime;
    sandbox_state state = sandbox_state::creating;
    std::string runtime_state;    // JSON for runtime::recover(); opaque to others
    std::string cause;            // why the sandbox ended; empty before
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> ended_at_ms;
};

std::string_view to_string(sandbox_state state);
std::optional<sandbox_state> sandbox_state_from(std::string_view text);

}    // namespace caisson
