#pragma once

#include <string>

namespace caisson::cli {

/// Rewrites a server's refusal for the command line: a limit that has a flag is named by the flag, with bounds in the flag's units
/// ("--timeout must be between 100ms and 10m").
std::string in_flags(std::string message);

}    // namespace caisson::cli
