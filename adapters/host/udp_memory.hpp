#pragma once

#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <string_view>
#include <sys/types.h>

namespace caisson {

/// The numbers of sockets in the network namespace of process `pid`, to be read again and again; it keeps that namespace. Invalid where
/// they cannot be opened.
unique_fd open_socket_numbers(pid_t pid);

/// Sockets of that namespace, of all families. 0 where that cannot be read.
std::int64_t count_sockets(int numbers);

/// What a UDP socket counts as by itself: its own memory, and the time that a look at it takes.
inline constexpr std::int64_t udp_socket_bytes = 8 << 10;

/// Bytes of the UDP sockets in the network namespace of process `pid`, with their messages: those that were received, those that are kept
/// until they are complete (MSG_MORE of send(2)), and errors with what they are about. The first count to a group with cgroup v2 alone,
/// the others never. The reading ends when `enough` are counted. 0 where they cannot be read.
std::int64_t udp_bytes(pid_t pid, std::int64_t enough);

/// Of one socket, by its line in /proc/net/udp or udp6. 0 for the head, and for other text.
std::int64_t udp_bytes_of_line(std::string_view line);

}    // namespace caisson
