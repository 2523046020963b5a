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

/// Looks at record locks that sandboxes hold, on a worker, one look at a time for all sandboxes of a server: a fifth of one
/// processor, half of one while looks are long. Call it on the I/O thread.
class lock_looks {
public:
    /// Locks that were counted last, from any thread. Whoever drops it gives up the place among those who wait.
    using count = std::shared_ptr<std::atomic<std::int64_t>>;
    /// The processes to look at; called on a worker.
    using process_source = std::function<std::set<pid_t>()>;

    /// Begins to count up to `enough` into `result`. False if another look goes on or is not long enough ago, or others wait longer: ask
    /// again within `patience`, which keeps the place among those who wait.
    bool try_begin(
        worker_pool& workers, process_source processes, std::int64_t enough, const count& result, std::chrono::milliseconds patience);

private:
    struct waiter {
        std::weak_ptr<std::atomic<std::int64_t>> whose;
        std::int64_t latest_ns = 0;    // when the patience ends
    };
    struct state {
        std::atomic<bool> is_busy = false;
        std::atomic<std::int64_t> next_ns = 0;    // of the steady clock: no look before
    };

    static void look(state& mine, const process_source& processes, std::int64_t enough, std::atomic<std::int64_t>& result) noexcept;
    bool is_next(const count& whose, std::int64_t now_ns, std::chrono::milliseconds patience);

    std::deque<waiter> waiting_;
    std::shared_ptr<state> state_ = std::make_shared<state>();    // workers may have it longer
};

}    // namespace caisson
