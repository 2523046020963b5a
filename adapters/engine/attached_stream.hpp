#pragma once

#include "adapters/net/raw_connection.hpp"
#include "core/protocol/byte_stream.hpp"

#include <memory>

namespace caisson::docker {

/// The stdin and stdout of a container without a terminal over the connection that its engine handed over. What is not stdout is dropped.
/// Frames that are none, an end within one, and what the engine says of its own failure throw boost::system::system_error.
std::unique_ptr<protocol::byte_stream> make_attached_stream(std::unique_ptr<net::raw_connection> from);

}    // namespace caisson::docker
