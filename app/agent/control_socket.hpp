#pragma once

#include "core/base/unique_fd.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <sys/types.h>
#include <vector>

/// Words over a connected UNIX socket, with descriptors where some are passed. Moments are CLOCK_MONOTONIC in ms.
namespace caisson::agent {

/// False when `what` of poll(2) cannot be done by `until_ms`, or the other end is gone with nothing left to read.
bool wait_for(int socket, short what, std::int64_t until_ms);
/// False when the other end did not take all by then, or is gone.
bool send_all(int socket, std::string_view bytes, std::int64_t until_ms);
/// The same; `passed`, at least one, ride on the first byte.
bool send_all(int socket, std::string_view bytes, std::span<const int> passed, std::int64_t until_ms);
/// Whether the next byte is `word`.
bool hears(int socket, char word, std::int64_t until_ms);
/// Whether the other end is closed, nothing being left to read.
bool hears_end(int socket, std::int64_t until_ms);

struct received {
    ssize_t bytes;    // as recvmsg(2) returns it
    std::size_t descriptors;
};

/// recvmsg(2) with `flags`; what descriptors came, all close-on-exec, are the first of `descriptors`, which has room for those that may
/// come. Makes that call only.
received receive(int socket, std::span<char> into, int flags, std::span<int> descriptors);
/// The same; adds them.
ssize_t receive(int socket, std::span<char> into, int flags, std::vector<unique_fd>& descriptors);

}    // namespace caisson::agent
