#pragma once

#include "adapters/engine/container_types.hpp"
#include "core/base/error.hpp"

#include <string>
#include <string_view>

namespace caisson::docker {

/// Whether the engine that answers now is the one that started the container.
enum class engine_since { the_same, another };

/// Why one that runs is not taken up.
inline constexpr std::string_view of_another_kind = "its container is of another kind: the runtime was configured otherwise";

/// Why a container's first process ended though nobody here ended it, as a clause, by what the engine said when it was asked afterwards.
std::string cause_of_end(const result<container_info>& found, engine_since engine);

}    // namespace caisson::docker
