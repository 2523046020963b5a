#pragma once

#include <cstdint>
#include <string>

namespace caisson {

/// Filters as raw struct sock_filter[], made once for this machine's architecture. A refused call returns the kernel's answer to an
/// unprivileged process, or an error such as ENOSYS where libraries have a fallback. Nothing is killed or logged. docs/security.md lists
/// the refused calls and their errno.

/// For programs: refuses what the agent's filter refuses, and calls that reach other processes by number. Sent with each spawn_request.
/// Throws std::runtime_error if this architecture has no filter.
const std::string& payload_filter();

/// payload_filter() without the agent's rules, for programs that inherit the agent's filter.
const std::string& rest_of_payload_filter();

/// For the agent and, by inheritance, its whole sandbox; passed to bwrap --seccomp.
const std::string& agent_filter();

enum class filter_part : std::uint8_t { payload, rest_of_payload, agent };

/// Makes the filter `part` for `architecture` (AUDIT_ARCH_*). Throws std::runtime_error except for x86_64 and aarch64, whose system calls
/// order their arguments alike.
std::string make_filter(filter_part part, std::uint32_t architecture);

}    // namespace caisson
