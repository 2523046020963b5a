#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace caisson::docker {

/// The process that listens at `address` ("unix:///…"), as the kernel names it to this one: 0 if it lives in a pid namespace that is not
/// seen from here; nothing if nobody listens there. Under socket activation it is who started the engine. Does not block.
std::optional<pid_t> listener_of(const std::string& address);

/// Nothing if the engine at `address` sees what this process sees: processes by the same numbers and `path`, which exists, as the same
/// directory. Else why not, with what to do.
std::optional<std::string> why_not_beside(const std::string& address, const std::string& path);

/// Whether this host has swap; true if that cannot be known.
bool host_swaps();

}    // namespace caisson::docker
