#pragma once

#include "adapters/net/raw_connection.hpp"
#include "core/protocol/byte_stream.hpp"

#include <memory>

namespace caisson::docker {

/// The stdin and stdout of a container without a terminal, over a connection that the engine handed over. Drops other output.
/// Malformed or truncated frames and error frames of the engine throw boost::system::system_error.
std::unique_ptr<protocol::byte_stream> make_attached_stream(std::unique_ptr<net::raw_connection> from);

}    // namespace caisson::docker
