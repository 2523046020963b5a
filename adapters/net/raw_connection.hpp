#pragma once

#include "core/async/task.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace caisson::net {

/// A connection that the server handed over after its response head: raw bytes in both directions. Bytes that followed the head
/// are read first. One reader and one writer at a time; I/O thread only; no deadlines of its own. Destroying it closes it.
class raw_connection {
public:
    virtual ~raw_connection() = default;

    /// Reads at least one byte; returns 0 at the end. Safe to cancel. Throws boost::system::system_error on a broken connection.
    virtual task<std::size_t> read_some(std::span<char> into) = 0;
    /// Sends all `parts` in order; they must live until it returns. After cancellation some may have been sent: then only call close().
    /// Throws boost::system::system_error on a broken connection.
    virtual task<> write(std::span<const std::string_view> parts) = 0;
    /// Shuts down sending: the peer reads the end after the written bytes. Reading stays possible.
    virtual void shutdown_send() noexcept = 0;
    /// Makes a pending read and write throw at once.
    virtual void close() noexcept = 0;
    virtual io_executor executor() = 0;
};

}    // namespace caisson::net
