#pragma once

#include "core/async/offload.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <sys/types.h>

namespace caisson {

/// Looks at record locks that sandboxes hold, on a worker, one look at a time for all sandboxes of a server: a fifth of one processor
/// at most. For the I/O thread, but where it says otherwise.
class lock_looks {
public:
    /// Locks that were counted last, from any thread.
    using count = std::shared_ptr<std::atomic<std::int64_t>>;

    /// The processes to look at; called on a worker.
    using process_source = std::function<std::set<pid_t>()>;

    /// Begins to count up to `enough` into `result`. False if another look goes on or is not long enough ago, or others wait for one
    /// longer: ask again within `patience`, to keep the place among those who wait.
    bool try_begin(worker_pool& workers, process_source processes, std::int64_t enough, count result);
    static constexpr std::chrono::milliseconds patience{500};

private:
    struct waiter {
        count whose;
        std::int64_t asked_ns;    // last
    };
    struct state {
        std::atomic<bool> is_busy = false;
        std::atomic<std::int64_t> next_ns = 0;    // of the steady clock: no look before
        std::atomic<std::size_t> looks = 0;
    };

    static void look(state& mine, const process_source& processes, std::int64_t enough, std::atomic<std::int64_t>& result) noexcept;

    bool is_next(const count& whose, std::int64_t now_ns);

    std::deque<waiter> waiting_;
    std::shared_ptr<state> state_ = std::make_shared<state>();    // workers may have it longer
};

}    // namespace caisson
