#pragma once

#include "core/exec/types.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// What a skill's program sees, by the contract of docs/skills.md: the working directory with the package, the input and the
/// directories for its output, and the environment.

inline constexpr std::string_view skill_directory = "/sandbox";    // its working directory
inline constexpr std::string_view skill_package = "scripts";       // in it, the package
inline constexpr std::string_view skill_home = "/tmp";             // HOME, unless the request says otherwise

/// Texts up to this size are in the environment too: one variable holds at most 128 KiB.
inline constexpr std::size_t max_skill_variable_bytes = 96 << 10;

/// Relative to the working directory: directories (their paths end with a slash) and files, to be there before the start.
std::vector<input_file> skill_files(const execution_spec& spec);

/// The contract's variables. `work` is the working directory as the program sees it. A text that is too long or cannot be in an
/// environment is left out.
std::map<std::string, std::string> skill_environment(const execution_spec& spec, const std::string& work);

/// spec.argv with the package where it is in a sandbox whose working directory is `work`.
std::vector<std::string> skill_argv(const execution_spec& spec, const std::string& work);

/// What a run of a skill keeps of what it leaves: output.json and what is below out/files/, or what `patterns` says of that.
collect_spec skill_collect(const std::vector<std::string>& patterns);

/// Copies what the record says of the skill. Does nothing to an execution of another kind.
void describe_skill(const execution_spec& spec, execution_row& row);

}    // namespace caisson
