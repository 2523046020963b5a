#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace caisson::cli {

/// The message for errno.
inline std::string last_error() { return std::error_code(errno, std::generic_category()).message(); }

}    // namespace caisson::cli
