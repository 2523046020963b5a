#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

/// Makes the other namespaces of a whole sandbox, whose root this process is in, and in them its first process: without rights, as user
/// 1000 of a user namespace in which no other can be made, under the seccomp filter. This process stays, without rights too and without
/// descriptors, and ends as the first one does: with its status, or 128 and the number of the signal that ended it.
[[noreturn]] void run_first_process(const options& wanted, char** environment);

}    // namespace caisson::launch
