#pragma once

#include "core/base/config.hpp"
#include "core/exec/execution_service.hpp"
#include "core/languages/languages.hpp"

#include <optional>
#include <string>

namespace caisson {

/// Empty if the pool is disabled.
std::optional<pool_bounds> pool_bounds_of(const pool_config& config);

/// The limits of executions that name none.
sandbox_limits usual_limits(const server_config& config);

/// Keeps sandboxes with the default limits ready on `runtime`, which must be one without images. Also keeps one with a waiting Python
/// interpreter, if the config wants it and Python is available.
void keep_usual_ready(
    execution_service& executions, const server_config& config, const language_catalog& languages, const std::string& runtime);

}    // namespace caisson
