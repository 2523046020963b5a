#pragma once

#include "core/base/config.hpp"
#include "core/exec/warm_pool.hpp"

#include <optional>
#include <string>

namespace caisson {

/// Nothing: no sandboxes are kept ready.
std::optional<pool_bounds> pool_bounds_of(const pool_config& config);

/// Of sandboxes on `runtime` for executions that say nothing of their limits.
pool_shape usual_shape(const server_config& config, std::string runtime);

}    // namespace caisson
