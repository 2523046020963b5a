#pragma once

#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <string_view>
#include <sys/types.h>

namespace caisson {

/// Opens the socket statistics of the network namespace of process `pid` for repeated reads; keeps that namespace alive. Invalid if they
/// cannot be opened.
unique_fd open_socket_numbers(pid_t pid);

/// Number of sockets of all families in that namespace. 0 if unreadable.
std::int64_t count_sockets(int numbers);

/// Charge per UDP socket: its own memory, and the time to read its entry.
inline constexpr std::int64_t udp_socket_bytes = 8 << 10;

/// Bytes of the UDP sockets in the network namespace of process `pid`, including their messages: received ones, incomplete ones (MSG_MORE
/// of send(2)), and queued errors. Control groups count received messages only with v2, the others never. Stops reading at `enough`. 0 if
/// unreadable.
std::int64_t udp_bytes(pid_t pid, std::int64_t enough);

/// Bytes of one socket, from its line in /proc/net/udp or udp6. 0 for the header and other text.
std::int64_t udp_bytes_of_line(std::string_view line);

}    // namespace caisson
