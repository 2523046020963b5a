#include "adapters/host/cgroup/sandbox_parts.hpp"

namespace caisson {

namespace {

/// In cgroup v2 a group that hands down controllers must have no processes.
bool agent_needs_own(const cgroup_member& sandbox)
{
    constexpr unsigned handed_down = cgroup_control::memory | cgroup_control::pids | cgroup_control::cpu;
    return sandbox.version == cgroup_version::v2 && (sandbox.controls & handed_down) != 0;
}

}    // namespace

bool is_later_program_part(std::string_view name)
{
    return name.starts_with(std::string(work_part) + ".") || name.starts_with(std::string(compiler_part) + ".");
}

bool has_own_part(const cgroup_member& sandbox, std::string_view name)
{
    if (sandbox.is_flat)
        return name == compiler_part || is_later_program_part(name);
    return name != agent_part || agent_needs_own(sandbox);
}

std::string directory_of_part(const cgroup_member& sandbox, std::string_view name)
{
    const auto& whole = sandbox.directory;
    if (!has_own_part(sandbox, name))
        return sandbox.is_flat && name == agent_part ? whole.substr(0, whole.rfind('/')) : whole;
    if (!sandbox.is_flat)
        return whole + "/" + std::string(name);
    return is_later_program_part(name) ? whole + std::string(programs_suffix) + "/" + std::string(name)
                                       : whole + std::string(compiler_suffix);
}

}    // namespace caisson
