#include "core/auth/types.hpp"

#include <algorithm>

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

bool is_tenant_name(std::string_view name)
{
    constexpr std::size_t longest = 64;
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= longest && std::ranges::all_of(name, allowed);
}

}    // namespace caisson
