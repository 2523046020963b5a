#pragma once

#include "core/async/task.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace caisson::protocol {

/// Any reliable, ordered bytes between server and agent: a unix socket, a pipe pair, an attached container's stdio.
/// One reader and one writer at a time, on the I/O thread. Destroying it closes it.
class byte_stream {
public:
    virtual ~byte_stream() = default;

    /// At least one byte, or 0 at the end. Throws boost::system::system_error on a broken connection.
    virtual task<std::size_t> read_some(std::span<char> into) = 0;
    /// All of `parts` in order. Descriptors in `fds` ride on the first byte (SCM_RIGHTS); they stay the caller's. Throws
    /// boost::system::system_error; errc::not_supported if `fds` is not empty and the stream cannot carry them.
    virtual task<> write(std::span<const std::string_view> parts, std::span<const int> fds) = 0;
    virtual bool carries_descriptors() const = 0;
    /// Makes a pending read and write end at once, the read as at the end or with an exception.
    virtual void close() noexcept = 0;
};

}    // namespace caisson::protocol
