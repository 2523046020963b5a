#pragma once

#include "core/base/unique_fd.hpp"
#include "core/protocol/types.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <sys/epoll.h>

namespace caisson::agent {

/// What a watched descriptor is for.
enum class source : std::uint8_t { signals, listener, link_in, link_out, candidate, input, output, error, parked };

/// A descriptor and the events it is watched for now. poller::drop() closes it.
struct watched_fd {
    unique_fd fd;
    std::uint32_t events = 0;
};

struct ready_fd {
    source from;
    protocol::exec_number exec;
    std::uint32_t events;
};

/// epoll(7), level triggered. A descriptor that nothing is wanted of is not in it, so that its end cannot spin.
class poller {
public:
    poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) { }
    /// False if the descriptor cannot be polled.
    bool want(watched_fd& what, source from, protocol::exec_number exec, std::uint32_t events);
    void drop(watched_fd& what);
    /// Valid until the next call. A negative timeout is none.
    std::span<const ready_fd> wait(std::int64_t timeout_ms);

private:
    unique_fd epoll_;
    std::array<epoll_event, 64> events_{};
    std::array<ready_fd, 64> ready_{};
};

/// For what is polled. False with errno on failure.
bool set_nonblocking(int fd);

/// CLOCK_MONOTONIC.
std::int64_t monotonic_us();
inline std::int64_t monotonic_ms() { return monotonic_us() / 1000; }

}    // namespace caisson::agent
