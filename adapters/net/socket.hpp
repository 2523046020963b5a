#pragma once

#include "core/async/task.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <string>

namespace caisson::net {

using tcp = asio::ip::tcp;
/// Uses the concrete executor type: any_io_executor costs time on the hot path.
using tcp_socket = asio::basic_stream_socket<tcp, io_executor>;
/// A TCP or Unix socket; both types convert to it.
using any_socket = asio::basic_stream_socket<asio::generic::stream_protocol, io_executor>;

/// "127.0.0.1:80", "[::1]:80".
std::string text_of(const tcp::endpoint& of);

}    // namespace caisson::net
