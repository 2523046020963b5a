#pragma once

#include "core/base/unique_fd.hpp"
#include "core/protocol/byte_stream.hpp"

#include <memory>

namespace caisson::protocol {

/// A byte_stream over two pipe ends, which become non-blocking; cannot carry descriptors. The process must ignore SIGPIPE.
/// Throws boost::system::system_error if an end cannot be polled.
std::unique_ptr<byte_stream> make_pipe_stream(io_executor executor, unique_fd read, unique_fd write);

}    // namespace caisson::protocol
