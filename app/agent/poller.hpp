#pragma once

#include "core/base/unique_fd.hpp"
#include "core/protocol/types.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <sys/epoll.h>

namespace caisson::agent {

/// The purpose of a watched descriptor.
enum class source : std::uint8_t { signals, listener, link_in, link_out, candidate, input, output, error, parked };

/// A descriptor and the epoll events it is watched for. poller::drop() closes it.
struct watched_fd {
    unique_fd fd;
    std::uint32_t events = 0;
};

struct ready_fd {
    source from;
    protocol::exec_number exec;
    std::uint32_t events;
};

/// epoll(7), level triggered unless EPOLLET is wanted. A descriptor without wanted events is removed, so that its hang-up cannot cause a
/// busy loop.
class poller {
public:
    poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) { }
    /// False if the descriptor cannot be polled.
    bool want(watched_fd& what, source from, protocol::exec_number exec, std::uint32_t events);
    void drop(watched_fd& what);
    /// The result is valid until the next call. A negative timeout waits without limit.
    std::span<const ready_fd> wait(std::int64_t timeout_ms);

private:
    unique_fd epoll_;
    std::array<epoll_event, 64> events_{};
    std::array<ready_fd, 64> ready_{};
};

/// False with errno on failure.
bool set_nonblocking(int fd);

/// CLOCK_MONOTONIC.
std::int64_t monotonic_us();
inline std::int64_t monotonic_ms() { return monotonic_us() / 1000; }

}    // namespace caisson::agent
