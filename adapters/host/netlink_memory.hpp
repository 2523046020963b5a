#pragma once

#include "core/base/unique_fd.hpp"

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace caisson {

/// The table of netlink sockets in the network namespace of process `pid`, to be read again and again; it keeps that namespace. Invalid
/// where it cannot be opened.
unique_fd open_netlink_table(pid_t pid);

/// What a netlink socket counts as by itself: its own memory, and the time that looks at it take.
inline constexpr std::int64_t netlink_socket_bytes = 16 << 10;

/// Bytes of the sockets of that table and of the messages that wait in them: memory of the kernel that no control group counts. Reads
/// until `enough` are counted. 0 where it cannot be read.
std::int64_t netlink_bytes(int table, std::int64_t enough);

/// The same of the text of that file, whose lines may come in pieces.
class netlink_counter {
public:
    void add(const char* text, std::size_t size);
    std::int64_t bytes() const { return bytes_; }

private:
    void end_field();

    std::int64_t bytes_ = 0;
    std::int64_t number_ = 0;    // of the field that is being read
    std::size_t field_ = 0;      // fields of this line before it
    bool in_field_ = false;
    bool is_head_ = true;
};

}    // namespace caisson
