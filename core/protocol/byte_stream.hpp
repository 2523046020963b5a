#pragma once

#include "core/async/task.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace caisson::protocol {

/// A reliable, ordered byte stream between server and agent: a unix socket, a pipe pair, an attached container's stdio.
/// One reader and one writer at a time, on the I/O thread. The destructor closes it.
class byte_stream {
public:
    virtual ~byte_stream() = default;

    /// Reads at least one byte; 0 at the end. Throws boost::system::system_error on a broken connection.
    virtual task<std::size_t> read_some(std::span<char> into) = 0;
    /// Writes all `parts` in order. The descriptors `fds` ride on the first byte (SCM_RIGHTS); the caller keeps them. Throws
    /// boost::system::system_error, with errc::not_supported if the stream cannot carry the given `fds`.
    virtual task<> write(std::span<const std::string_view> parts, std::span<const int> fds) = 0;
    virtual bool carries_descriptors() const = 0;
    /// Ends pending operations at once: a read returns 0 or throws, a write throws.
    virtual void close() noexcept = 0;
};

}    // namespace caisson::protocol
