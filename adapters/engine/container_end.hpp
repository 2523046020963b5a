#pragma once

#include "adapters/engine/container_types.hpp"
#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::docker {

/// Whether the same engine process has run since the container started.
enum class engine_since { the_same, another };

/// Why a running container is not re-adopted.
inline constexpr std::string_view of_another_kind = "its container is of another kind: the runtime was configured otherwise";

/// Why a container ended that this server did not end, as a clause. `found` is the engine's answer to inspect() afterwards.
std::string cause_of_end(const result<container_info>& found, engine_since engine);

}    // namespace caisson::docker
