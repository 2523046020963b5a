#pragma once

#include "core/exec/types.hpp"
#include "core/protocol/types.hpp"

#include <string>
#include <vector>

/// What the agent is told to collect with.
namespace caisson {

/// Whether anything is to be collected.
bool wants_files(const collect_spec& spec);

/// The arguments with which the agent's own program collects.
std::vector<std::string> collect_command(const collect_spec& spec, const std::string& work_directory);
/// The same for what the agent is to collect by itself at the end of `program`.
std::vector<std::string> collect_at_end_command(const collect_spec& spec, const std::string& work_directory, protocol::exec_number program);

}    // namespace caisson
