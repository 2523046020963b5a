#pragma once

#include <string>
#include <system_error>

namespace caisson {

/// Throws std::system_error for `number`, an errno; `doing` says what failed.
[[noreturn]] inline void fail(int number, const std::string& doing) { throw std::system_error(number, std::generic_category(), doing); }

}    // namespace caisson
