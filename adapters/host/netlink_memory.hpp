#pragma once

#include "core/base/unique_fd.hpp"

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace caisson {

/// Opens the netlink socket table of the network namespace of process `pid` for repeated reads; keeps that namespace alive. Invalid if it
/// cannot be opened.
unique_fd open_netlink_table(pid_t pid);

/// Charge per netlink socket: its own memory, and the time to read its entry.
inline constexpr std::int64_t netlink_socket_bytes = 16 << 10;

/// Bytes of the sockets in `table` and their queued messages: kernel memory that no control group counts. Stops reading at `enough`. 0 if
/// unreadable.
std::int64_t netlink_bytes(int table, std::int64_t enough);

/// Counts from the content of the table, which may come in pieces of any size.
class netlink_counter {
public:
    void add(const char* text, std::size_t size);
    std::int64_t bytes() const { return bytes_; }

private:
    void end_field();

    std::int64_t bytes_ = 0;
    std::int64_t number_ = 0;    // value of the current field
    std::size_t field_ = 0;      // index of the current field in its line
    bool in_field_ = false;
    bool is_head_ = true;
};

}    // namespace caisson
