#pragma once

#include <sys/mount.h>

namespace caisson::launch {

/// Of all that is mounted for a sandbox: no devices, and nobody gets more rights by a program there.
inline constexpr unsigned long unprivileged = MS_NOSUID | MS_NODEV;

}    // namespace caisson::launch
