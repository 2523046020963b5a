#pragma once

#include "core/async/task.hpp"

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace caisson::net {

using tcp = asio::ip::tcp;
/// Typed by the executor: any_io_executor costs on the hot path.
using tcp_socket = asio::basic_stream_socket<tcp, io_executor>;

}    // namespace caisson::net
