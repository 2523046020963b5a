#include "adapters/host/agent_listener.hpp"

#include "core/async/deadline.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace caisson {

namespace {

/// The pid of the peer; 0 if it is in another pid namespace.
pid_t peer_of(int socket)
{
    ucred peer{};
    socklen_t length = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer.pid : 0;
}

}    // namespace

agent_listener::agent_listener(io_executor executor, timers& time, unique_fd listening) : time_(time), acceptor_(executor)
{
    acceptor_.assign(asio::local::stream_protocol(), listening.get());
    static_cast<void>(listening.release());
    acceptor_.native_non_blocking(true);
}

/// Bounded, so that a program which keeps connecting cannot block the I/O thread.
result<unique_fd> agent_listener::take_waiting(pid_t expected)
{
    constexpr int most_at_once = 64;
    unique_fd newest;
    for (int i = 0; i < most_at_once; ++i) {
        unique_fd accepted(::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!accepted && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
            return error{errc::internal, "accept: " + std::string(std::strerror(errno))};
        if (!accepted)
            break;
        if (peer_of(accepted.get()) == expected)
            newest = std::move(accepted);
        else
            ++strangers_;
    }
    return newest;
}

task<> agent_listener::until_somebody_comes() { co_await acceptor_.async_wait(asio::socket_base::wait_read, use_task); }

task<result<unique_fd>> agent_listener::accept(pid_t expected, steady_time deadline)
{
    for (;;) {
        auto newest = take_waiting(expected);
        if (newest.has_error() || *newest)
            co_return newest;
        if (time_.steady_now() >= deadline)
            co_return error{errc::timed_out, "the agent did not come"};
        auto waiting = until_somebody_comes();
        (void)co_await with_deadline(time_, deadline, std::move(waiting));
    }
}

}    // namespace caisson
