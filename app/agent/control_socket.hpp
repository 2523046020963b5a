#pragma once

#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <sys/types.h>
#include <vector>

/// Messages and descriptors over a connected UNIX socket. `until_ms` is a deadline by CLOCK_MONOTONIC in ms.
namespace caisson::agent {

/// Waits for the poll(2) events `what`. False at the deadline, or if the peer is gone and nothing is left to read.
bool wait_for(int socket, short what, std::int64_t until_ms);
/// False if the peer is gone or did not take all bytes by the deadline.
bool send_all(int socket, std::string_view bytes, std::int64_t until_ms);
/// Like the above; the descriptors `passed` ride on the first byte.
bool send_all(int socket, std::string_view bytes, std::span<const int> passed, std::int64_t until_ms);
/// Whether the next byte is `word`.
bool hears(int socket, char word, std::int64_t until_ms);
/// Waits until the peer closes its end. False at the deadline, or if the peer sent a byte.
bool hears_end(int socket, std::int64_t until_ms);

struct received {
    ssize_t bytes;    // as recvmsg(2) returns it
    std::size_t descriptors;
};

/// recvmsg(2) with `flags`; makes no other system call. Received descriptors, close-on-exec, fill the front of `descriptors`, which must
/// have room for all.
received receive(int socket, std::span<char> into, int flags, std::span<int> descriptors);
/// Like the above; appends the descriptors.
ssize_t receive(int socket, std::span<char> into, int flags, std::vector<unique_fd>& descriptors);

}    // namespace caisson::agent
