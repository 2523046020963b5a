#pragma once

#include "core/async/task.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace caisson::net {

/// A connection that a server handed over behind its answer's head: bytes both ways, HTTP no more. What came behind the head is
/// read first. One reader and one writer at a time, I/O thread only; no deadlines of its own. Destroying it closes it.
class raw_connection {
public:
    virtual ~raw_connection() = default;

    /// At least one byte, or 0 at the end. Safe to cancel. Throws boost::system::system_error on a broken connection.
    virtual task<std::size_t> read_some(std::span<char> into) = 0;
    /// All of `parts` in order, which live until then. Cancelled, it may have sent some of them: then only close() makes sense.
    /// Throws boost::system::system_error on a broken connection.
    virtual task<> write(std::span<const std::string_view> parts) = 0;
    /// The peer reads the end behind what was written; reading goes on.
    virtual void shutdown_send() noexcept = 0;
    /// Makes a pending read and write throw at once.
    virtual void close() noexcept = 0;
    virtual io_executor executor() = 0;
};

}    // namespace caisson::net
