#pragma once

#include "core/base/unique_fd.hpp"
#include "core/protocol/byte_stream.hpp"

#include <memory>

namespace caisson::protocol {

/// A byte_stream over a connected unix stream socket; carries descriptors. Throws boost::system::system_error if
/// `connected` is not a socket.
std::unique_ptr<byte_stream> make_unix_stream(io_executor executor, unique_fd connected);

}    // namespace caisson::protocol
