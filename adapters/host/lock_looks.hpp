#pragma once

#include "core/async/offload.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <sys/types.h>

namespace caisson {

/// Counts record locks of sandboxes on a worker, one count at a time for the whole server. Takes a fifth of one processor, or half of one
/// while counts are long. Call on the I/O thread.
class lock_looks {
public:
    /// The last count of locks, readable from any thread. Dropping it gives up the place in the queue.
    using count = std::shared_ptr<std::atomic<std::int64_t>>;
    /// Returns the processes to inspect; called on a worker.
    using process_source = std::function<std::set<pid_t>()>;

    /// Starts counting up to `enough` into `result`. False if another count runs or ended too recently, or if others have waited longer:
    /// call again within `patience` to keep the place in the queue.
    bool try_begin(
        worker_pool& workers, process_source processes, std::int64_t enough, const count& result, std::chrono::milliseconds patience);

private:
    struct waiter {
        std::weak_ptr<std::atomic<std::int64_t>> whose;
        std::int64_t latest_ns = 0;    // end of its patience
    };
    struct state {
        std::atomic<bool> is_busy = false;
        std::atomic<std::int64_t> next_ns = 0;    // steady clock: start of the next count at the earliest
    };

    static void look(state& mine, const process_source& processes, std::int64_t enough, std::atomic<std::int64_t>& result) noexcept;
    bool is_next(const count& whose, std::int64_t now_ns, std::chrono::milliseconds patience);

    std::deque<waiter> waiting_;
    std::shared_ptr<state> state_ = std::make_shared<state>();    // workers may outlive this object
};

}    // namespace caisson
