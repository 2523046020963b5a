#pragma once

#include <sys/mount.h>

namespace caisson::launch {

/// For all mounts of a sandbox: no devices, and no privileges gained by executing files.
inline constexpr unsigned long unprivileged = MS_NOSUID | MS_NODEV;

}    // namespace caisson::launch
