#pragma once

#include "adapters/host/process.hpp"
#include "core/async/timers.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>

namespace caisson {

/// Network namespaces of ended sandboxes, for reuse: creating and removing one are the two longest steps in a sandbox's life. Programs
/// cannot configure them, which takes root, and the next user checks for traces of the previous one (docs/adr/0025). Thread-safe.
class used_networks {
public:
    /// tidy() closes namespaces that were not needed for this long.
    static constexpr auto kept_for = std::chrono::seconds(60);
    /// Minimum age of a namespace in take(): the kernel sends and counts its multicast leave report a few ticks after its last process.
    static constexpr auto lies_for = std::chrono::milliseconds(100);

    /// Keeps at most `most` namespaces. Each takes a descriptor and about 130 KB of kernel memory.
    explicit used_networks(std::size_t most = 32) : most_(most) { }

    /// The network namespace of `process`. Invalid if the process is gone, if the namespace is this process's own, or if it belongs to
    /// another user namespace.
    static unique_fd of(const process_handle& process);

    /// Returns a namespace without processes; invalid if there is none. All calls use the same clock.
    unique_fd take(steady_time now);
    /// Keeps `network`, which no process uses any more, unless too many are kept already.
    void give(unique_fd network, steady_time now);
    /// Call periodically.
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
    std::size_t unneeded_ = 0;    // lowest size of kept_ since since_
    steady_time since_{};
};

}    // namespace caisson
