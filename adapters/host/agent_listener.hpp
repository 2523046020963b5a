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

/// Accepts connections from an agent that cannot inherit a listening socket. Programs of its sandbox can connect too: the peer's pid
/// (SO_PEERCRED) admits only the agent.
class agent_listener {
public:
    /// `listening` is a unix stream socket. Throws boost::system::system_error if it is not.
    agent_listener(io_executor executor, timers& time, unique_fd listening);

    /// Returns the newest waiting connection of process `expected`, or waits for its next one. Closes all other waiting connections. One
    /// call at a time. Errors: errc::timed_out at `deadline`; errc::internal if no descriptor is left.
    task<result<unique_fd>> accept(pid_t expected, steady_time deadline);

    /// Number of connections of other processes closed so far.
    std::size_t strangers() const { return strangers_; }

private:
    result<unique_fd> take_waiting(pid_t expected);
    task<> until_somebody_comes();

    timers& time_;
    asio::basic_socket_acceptor<asio::local::stream_protocol, io_executor> acceptor_;
    std::size_t strangers_ = 0;
};

}    // namespace caisson
