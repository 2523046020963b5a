#pragma once

#include <string>

namespace caisson {

/// Filters as struct sock_filter[], raw, made once by libseccomp for this machine's architecture. A refused call returns
/// EPERM, or ENOSYS where libraries then fall back; nothing is killed or logged. What each refuses is in docs/security.md.

/// For programs: everything the agent's filter refuses, and calls that reach other processes by number. Goes with each
/// spawn_request. Throws std::runtime_error if libseccomp cannot build it.
const std::string& payload_filter();

/// The same without what the agent's filter refuses, for programs that inherit that one.
const std::string& rest_of_payload_filter();

/// For the agent, and by inheritance for all of its sandbox; given to bwrap --seccomp.
const std::string& agent_filter();

}    // namespace caisson
