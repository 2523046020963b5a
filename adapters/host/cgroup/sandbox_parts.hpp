#pragma once

#include "adapters/host/cgroup/cgroup_types.hpp"

#include <array>
#include <string>
#include <string_view>

/// The parts of a sandbox's group and their places in one hierarchy. In a flat hierarchy the sandbox's group is the work part, the agent is
/// in the server's group, the compiler has the sibling "<sandbox>.compiler" and other programs are below "<sandbox>.programs", since a
/// group counts its children. In others the work and compiler parts are children, and so is the agent, except where a group with limits may
/// have processes and children: there the agent is in the sandbox's group itself.
namespace caisson {

/// Parts of a sandbox's group: the agent, the first program, and its compiler. Those of program N are "work.N" and "compiler.N".
inline constexpr std::string_view agent_part = "agent";
inline constexpr std::string_view work_part = "work";
inline constexpr std::string_view compiler_part = "compiler";
/// Follows the sandbox's name where the first compiler's group is a sibling.
inline constexpr std::string_view compiler_suffix = ".compiler";
/// Follows the sandbox's name where a sibling has the parts of all programs but the first.
inline constexpr std::string_view programs_suffix = ".programs";
inline constexpr std::array sibling_suffixes{compiler_suffix, programs_suffix};

/// Whether a part is of another program than the first.
bool is_later_program_part(std::string_view name);
/// False if the part's group in this hierarchy is another part too.
bool has_own_part(const cgroup_member& sandbox, std::string_view name);
/// The directory of part `name` in the hierarchy of `sandbox`, the sandbox's own group.
std::string directory_of_part(const cgroup_member& sandbox, std::string_view name);

}    // namespace caisson
