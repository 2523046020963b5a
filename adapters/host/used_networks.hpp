#pragma once

#include "adapters/host/process.hpp"
#include "core/async/timers.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>

namespace caisson {

/// Network namespaces of sandboxes that are gone, for the next ones: to make one and to take it down are the two longest steps in the life
/// of a sandbox. Only root could set them up, and whoever is given one looks for what a program may have left in it (docs/adr/0025). From
/// any thread.
class used_networks {
public:
    /// What was not needed for this long is let go of by tidy().
    static constexpr auto kept_for = std::chrono::seconds(60);
    /// None is taken before: a report that it left a multicast group is sent, and counted, a few ticks of the kernel after its last
    /// process.
    static constexpr auto lies_for = std::chrono::milliseconds(100);

    /// Keeps at most so many. Each is a descriptor, and some 130 KB of the kernel's memory.
    explicit used_networks(std::size_t most = 32) : most_(most) { }

    /// That of a process. Invalid if it is gone, if the namespace is this process's own, or if it does not belong to the same user
    /// namespace.
    static unique_fd of(const process_handle& process);

    /// One that nobody is in; invalid if there is none. The time is the same clock's in all calls.
    unique_fd take(steady_time now);
    /// Keeps it, if there are not too many already. Nobody is in it any more.
    void give(unique_fd network, steady_time now);
    /// To be called now and then.
    void tidy(steady_time now);
    std::size_t size() const;

private:
    std::size_t most_;
    mutable std::mutex mutex_;
    struct kept {
        unique_fd network;
        steady_time since;
    };
    std::deque<kept> kept_;       // the oldest first
    std::size_t unneeded_ = 0;    // so many were always there since then
    steady_time since_{};
};

}    // namespace caisson
