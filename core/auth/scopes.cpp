#include "core/auth/scopes.hpp"

#include <algorithm>

namespace caisson {

bool allows(std::span<const scope> held, scope wanted)
{
    const auto grants = [wanted](scope given) { return given == wanted || given == scope::admin; };
    return std::ranges::any_of(held, grants);
}

}    // namespace caisson
