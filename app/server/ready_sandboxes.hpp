#pragma once

#include "core/base/config.hpp"
#include "core/exec/execution_service.hpp"
#include "core/languages/languages.hpp"

#include <optional>
#include <string>

namespace caisson {

/// Nothing: no sandboxes are kept ready.
std::optional<pool_bounds> pool_bounds_of(const pool_config& config);

/// Of executions that say nothing of them.
sandbox_limits usual_limits(const server_config& config);

/// Keeps sandboxes on `runtime` ready, which must be one without images, for executions that say nothing of their limits; and one in which
/// an interpreter waits for code, if that shall be and there is one.
void keep_usual_ready(
    execution_service& executions, const server_config& config, const language_catalog& languages, const std::string& runtime);

}    // namespace caisson
