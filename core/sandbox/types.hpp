#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace caisson {

enum class sandbox_state { creating, running, paused, stopped, destroyed, failed, lost };

/// What a sandbox may use as a whole. All values are in force together; zero is never "unlimited".
struct sandbox_limits {
    std::int64_t memory_bytes = 0;
    std::int64_t cpu_milli = 0;    // thousandths of one core
    std::int64_t pids = 0;
    std::int64_t disk_bytes = 0;
    std::int64_t inodes = 0;
    auto operator<=>(const sandbox_limits&) const = default;
};

/// A sandbox as it is kept. In CORE each one serves one execution.
struct sandbox_row {
    sandbox_id id;
    tenant_id tenant;
    std::string runtime;
    sandbox_state state = sandbox_state::creating;
    std::string runtime_state;    // JSON that only the runtime reads: what recover() needs
    std::string cause;            // why it ended; empty while it lives
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> ended_at_ms;
};

std::string_view to_string(sandbox_state state);
std::optional<sandbox_state> sandbox_state_from(std::string_view text);

}    // namespace caisson
