#pragma once

#include "core/auth/types.hpp"

#include <span>
#include <string_view>

namespace caisson {

/// True if `held` contains `wanted` or admin.
bool allows(std::span<const scope> held, scope wanted);
inline bool allows(const principal& who, scope wanted) { return allows(who.scopes, wanted); }

}    // namespace caisson
