#pragma once

#include "core/exec/types.hpp"

#include <span>
#include <string>

namespace caisson {

/// How an execution ended, as the state of a checkpoint: JSON with execution_id, status, verdict, exit_code or signal, error, and a
/// skill's output.
std::string end_state(const execution_row& row);

/// What such a checkpoint names: the execution and the first files that it left.
checkpoint_references references_of(const execution_row& row, std::span<const artifact_row> artifacts);
inline constexpr std::size_t max_referenced_artifacts = 200;

}    // namespace caisson
