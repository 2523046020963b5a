#pragma once

#include <string>

namespace caisson::cli {

/// A refusal of the server's in the words of the command line: where it names a limit that a flag sets, the flag, and the bounds as the
/// flag takes them ("--timeout must be between 100ms and 10m").
std::string in_flags(std::string message);

}    // namespace caisson::cli
