#pragma once

#include "core/adapters/spawn/process.hpp"
#include "core/async/timers.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>

namespace caisson {

/// Network namespaces of sandboxes that are gone, for the next ones: to make one and to take it down are the two longest steps in the life
/// of a sandbox. Only root could set them up, so that nothing but traffic changes them, and whoever is given one looks for that first
/// (docs/adr/0025). From any thread.
class used_networks {
public:
    /// What was not needed for this long is let go of by tidy().
    static constexpr auto kept_for = std::chrono::seconds(60);

    /// Keeps at most so many. Each is a descriptor, and some 130 KB of the kernel's memory.
    explicit used_networks(std::size_t most = 32) : most_(most) { }

    /// That of a process. Invalid if it is gone, if the namespace is this process's own, or if it does not belong to the same user
    /// namespace.
    static unique_fd of(const process_handle& process);

    /// One that nobody is in; invalid if there is none.
    unique_fd take();
    /// Keeps it, if there are not too many already. Nobody is in it any more.
    void give(unique_fd network);
    /// To be called now and then.
    void tidy(steady_time now);
    std::size_t size() const;

private:
    std::size_t most_;
    mutable std::mutex mutex_;
    std::deque<unique_fd> kept_;
    std::size_t unneeded_ = 0;    // so many were always there since then
    steady_time since_{};
};

}    // namespace caisson
