#pragma once

#include "core/async/task.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <sys/types.h>

#include <cstddef>

namespace caisson {

/// Where an agent comes to that cannot be given a socket to listen on. Programs of its sandbox can come there too: the kernel tells who is
/// at the other end, and only the agent is let in.
class agent_listener {
public:
    /// `listening` is a unix stream socket. Throws boost::system::system_error if it is none.
    agent_listener(io_executor executor, timers& time, unique_fd listening);

    /// A connection of the process with this number, the newest of those that wait, or the next that comes. All others that wait are
    /// closed. One call at a time. Errors: errc::timed_out at `deadline`; errc::internal if no descriptor is left.
    task<result<unique_fd>> accept(pid_t expected, steady_time deadline);

    /// Connections of other processes that were closed so far.
    std::size_t strangers() const { return strangers_; }

private:
    result<unique_fd> take_waiting(pid_t expected);
    task<> until_somebody_comes();

    timers& time_;
    asio::basic_socket_acceptor<asio::local::stream_protocol, io_executor> acceptor_;
    std::size_t strangers_ = 0;
};

}    // namespace caisson
