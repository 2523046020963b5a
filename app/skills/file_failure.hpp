#pragma once

#include <string>
#include <system_error>

namespace caisson {

/// Throws std::system_error for the errno `number`; `doing` describes the operation.
[[noreturn]] inline void fail(int number, const std::string& doing) { throw std::system_error(number, std::generic_category(), doing); }

}    // namespace caisson
