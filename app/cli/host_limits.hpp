#pragma once

#include "app/cli/diagnosis.hpp"

#include <filesystem>

namespace caisson::cli {

/// What the host has one number of for all its programs, where it is less than all sandboxes of a server with `config` may use together:
/// terminals, processes (at their maximum), open files (by the default limits). And settings of the kernel by which it does more for any
/// program than a sandbox needs. `sys` is /proc/sys; what is not there is passed over.
std::vector<finding> look_at_host_limits(const server_config& config, const std::filesystem::path& sys = "/proc/sys");

}    // namespace caisson::cli
