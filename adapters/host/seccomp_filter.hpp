#pragma once

#include <cstdint>
#include <string>

namespace caisson {

/// Filters as struct sock_filter[], raw, made once for this machine's architecture. A refused call returns what the kernel
/// would answer a process without rights, or ENOSYS or the like where libraries then fall back; nothing is killed or logged. What each
/// refuses, and with which errno, is in docs/security.md.

/// For programs: everything the agent's filter refuses, and calls that reach other processes by number. Goes with each
/// spawn_request. Throws std::runtime_error if there is none for this architecture.
const std::string& payload_filter();

/// The same without what the agent's filter refuses, for programs that inherit that one.
const std::string& rest_of_payload_filter();

/// For the agent, and by inheritance for all of its sandbox; given to bwrap --seccomp.
const std::string& agent_filter();

enum class filter_part : std::uint8_t { payload, rest_of_payload, agent };

/// One of them for an architecture (AUDIT_ARCH_*). Throws std::runtime_error for others than x86_64 and aarch64, whose system calls have
/// their arguments in the same order.
std::string make_filter(filter_part part, std::uint32_t architecture);

}    // namespace caisson
