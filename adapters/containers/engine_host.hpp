#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace caisson::docker {

/// The pid, in this process's pid namespace, of the listener at `address` ("unix:///…"): 0 if it is in a pid namespace that is not
/// visible here; nothing if there is no listener. Under socket activation it is the process that started the engine. Does not block.
std::optional<pid_t> listener_of(const std::string& address);

/// Nothing if the engine at `address` has the same pids and the same directory at `path`, which must exist, as this process.
/// Otherwise the reason and the remedy.
std::optional<std::string> why_not_beside(const std::string& address, const std::string& path);

/// True if this host has swap, or if that is unknown.
bool host_swaps();

}    // namespace caisson::docker
