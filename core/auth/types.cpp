#include "core/auth/types.hpp"

namespace caisson {

std::string_view to_string(scope value)
{
    switch (value) {
    case scope::run: return "run";
    case scope::read: return "read";
    case scope::admin: return "admin";
    }
    return "unknown";
}

std::optional<scope> scope_from(std::string_view text)
{
    for (const auto value : {scope::run, scope::read, scope::admin})
        if (text == to_string(value))
            return value;
    return std::nullopt;
}

}    // namespace caisson
