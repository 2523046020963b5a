#pragma once

#include "core/async/task.hpp"

#include <boost/asio/basic_waitable_timer.hpp>

#include <cstdint>
#include <memory>

namespace caisson {

/// Wakes coroutines that wait for "something changed". Look at the state, remember version(), and wait past it: a change
/// between the look and the wait is not missed. I/O thread only; waiters may outlive it (they then throw operation_aborted).
class notifier {
public:
    explicit notifier(io_executor executor);
    ~notifier();
    notifier(const notifier&) = delete;
    notifier& operator=(const notifier&) = delete;

    std::uint64_t version() const { return state_->version; }
    void notify_all();

    /// Returns when version() is greater than `seen`. Cancellation and the notifier's end throw operation_aborted.
    task<> wait_past(std::uint64_t seen);
    /// As wait_past(), but returns wait_end::cancelled instead of throwing.
    task<wait_end> wait_past_or_cancelled(std::uint64_t seen);

private:
    using timer = asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, io_executor>;
    struct state {
        explicit state(io_executor executor) : wake(executor, timer::time_point::max()) { }
        timer wake;
        std::uint64_t version = 0;
        bool ended = false;
    };
    static task<wait_end> wait(std::shared_ptr<state> shared, std::uint64_t seen);
    static task<> wait_or_throw(std::shared_ptr<state> shared, std::uint64_t seen);
    std::shared_ptr<state> state_;
};

}    // namespace caisson
