#pragma once

#include "app/cli/diagnosis.hpp"

#include <filesystem>

namespace caisson::cli {

/// Findings about host-wide limits (terminals, processes, open files) below what all sandboxes of a server with `config` may use together:
/// processes at their maximum, open files by the default limits. Also kernel settings that give any program more than a sandbox needs.
/// `sys` is /proc/sys; missing files are skipped.
std::vector<finding> look_at_host_limits(const server_config& config, const std::filesystem::path& sys = "/proc/sys");

}    // namespace caisson::cli
