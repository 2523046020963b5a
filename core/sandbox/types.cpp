#include "core/sandbox/types.hpp"

#include <array>

namespace caisson {

namespace {
constexpr std::array<std::pair<sandbox_state, std::string_view>, 7> names{{
    {sandbox_state::creating, "creating"},
    {sandbox_state::running, "running"},
    {sandbox_state::paused, "paused"},
    {sandbox_state::stopped, "stopped"},
    {sandbox_state::destroyed, "destroyed"},
    {sandbox_state::failed, "failed"},
    {sandbox_state::lost, "lost"},
}};
constexpr std::array<std::pair<holder_kind, std::string_view>, 2> kinds{{
    {holder_kind::execution, "execution"},
    {holder_kind::tenant, "tenant"},
}};
}    // namespace

std::string_view to_string(sandbox_state state)
{
    for (const auto& [value, name] : names)
        if (value == state)
            return name;
    return "failed";
}

std::optional<sandbox_state> sandbox_state_from(std::string_view text)
{
    for (const auto& [value, name] : names)
        if (name == text)
            return value;
    return std::nullopt;
}

std::string_view to_string(holder_kind kind)
{
    for (const auto& [value, name] : kinds)
        if (value == kind)
            return name;
    return "execution";
}

std::optional<holder_kind> holder_kind_from(std::string_view text)
{
    for (const auto& [value, name] : kinds)
        if (name == text)
            return value;
    return std::nullopt;
}

}    // namespace caisson
