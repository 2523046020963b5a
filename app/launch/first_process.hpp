#pragma once

#include "app/launch/options.hpp"

namespace caisson::launch {

/// Makes the remaining namespaces of a whole sandbox, in whose root this process is, and its first process: without capabilities, as user
/// 1000 of a user namespace in which no other can be made, under the seccomp filter. With --info-fd this process stays, without privileges
/// and descriptors, and exits with the first process's status, or 128 plus its signal. Otherwise it becomes the first process.
[[noreturn]] void run_first_process(const options& wanted, char** environment);

}    // namespace caisson::launch
