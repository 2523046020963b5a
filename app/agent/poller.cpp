#include "app/agent/poller.hpp"

#include <algorithm>
#include <ctime>
#include <fcntl.h>

namespace caisson::agent {

namespace {

constexpr std::uint64_t exec_bits = 56;
constexpr std::uint64_t exec_mask = (std::uint64_t{1} << exec_bits) - 1;
constexpr std::int64_t longest_wait_ms = 3'600'000;

}    // namespace

bool set_nonblocking(int fd) { return ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK) == 0; }

bool poller::want(watched_fd& what, source from, protocol::exec_number exec, std::uint32_t events)
{
    if (!what.fd || what.events == events)
        return true;
    epoll_event event{};
    event.events = events;
    event.data.u64 = static_cast<std::uint64_t>(from) << exec_bits | exec;
    const int operation = events == 0 ? EPOLL_CTL_DEL : what.events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (::epoll_ctl(epoll_.get(), operation, what.fd.get(), &event) != 0)
        return false;
    what.events = events;
    return true;
}

void poller::drop(watched_fd& what)
{
    want(what, source::signals, 0, 0);
    what.fd.reset();
    what.events = 0;
}

std::span<const ready_fd> poller::wait(std::int64_t timeout_ms)
{
    const int timeout = timeout_ms < 0 ? -1 : static_cast<int>(std::min(timeout_ms, longest_wait_ms));
    const int got = ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), timeout);
    const auto count = static_cast<std::size_t>(std::max(got, 0));
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t tag = events_[i].data.u64;
        ready_[i] = {static_cast<source>(tag >> exec_bits), tag & exec_mask, events_[i].events};
    }
    return {ready_.data(), count};
}

std::int64_t monotonic_us()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}    // namespace caisson::agent
