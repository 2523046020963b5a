#include "core/retry/types.hpp"

#include <utility>

namespace caisson {

namespace {

constexpr std::pair<attempt_fault, std::string_view> fault_names[] = {
    {attempt_fault::runtime_unavailable, "runtime_unavailable"},
    {attempt_fault::image_pull, "image_pull"},
    {attempt_fault::agent_unreachable, "agent_unreachable"},
    {attempt_fault::agent_lost, "agent_lost"},
    {attempt_fault::program, "program"},
    {attempt_fault::limit, "limit"},
};

}    // namespace

std::string_view to_string(attempt_fault value)
{
    for (const auto& [each, name] : fault_names)
        if (each == value)
            return name;
    return "";
}

std::optional<attempt_fault> attempt_fault_from(std::string_view text)
{
    for (const auto& [each, name] : fault_names)
        if (name == text)
            return each;
    return std::nullopt;
}

}    // namespace caisson
