#pragma once

#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <string_view>
#include <sys/types.h>

namespace caisson {

/// The numbers of sockets in the network namespace of process `pid`, to be read again and again; it keeps that namespace. Invalid where
/// they cannot be opened.
unique_fd open_socket_numbers(pid_t pid);

struct socket_numbers {
    std::int64_t used = 0;              // sockets of that namespace
    std::int64_t host_udp_bytes = 0;    // received and not read by UDP sockets, of the whole host
};

/// Both 0 where they cannot be read.
socket_numbers read_socket_numbers(int file);

/// What a UDP socket counts as by itself: its own memory, and the time that a look at it takes.
inline constexpr std::int64_t udp_socket_bytes = 8 << 10;

/// What is counted of a UDP socket's messages. Those that it corks until they are complete (MSG_MORE of send(2)) are in no control group,
/// those that it received are with cgroup v2.
enum class udp_messages { corked, all };

/// Bytes of the UDP sockets in the network namespace of process `pid`. The reading ends when `enough` are counted. 0 where they cannot be
/// read.
std::int64_t udp_bytes(pid_t pid, udp_messages which, std::int64_t enough);

/// Of one socket, by its line in /proc/net/udp or udp6. 0 for the head, and for other text.
std::int64_t udp_bytes_of_line(std::string_view line, udp_messages which);

}    // namespace caisson
