#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"

#include <memory>

namespace caisson::testing {

/// Time that moves only by advance(). Waiters wake in the io_context's next turns.
class fake_timers : public timers {
public:
    explicit fake_timers(
        io_executor executor, std::int64_t start_ms = 1'700'000'000'000, steady_time steady = steady_time(std::chrono::hours(1)))
        : moved_(executor), now_ms_(start_ms), steady_(steady)
    {
    }

    std::int64_t now_ms() const override { return now_ms_; }
    steady_time steady_now() const override { return steady_; }
    task<> wait_until(steady_time when) override;
    task<wait_end> wait_until_or_cancelled(steady_time when) override;

    void advance(std::chrono::milliseconds by);
    /// Somebody sets the wall clock; steady_now() goes on.
    void set_wall_clock(std::chrono::milliseconds forward) { now_ms_ += forward.count(); }
    /// Waits that have begun and not ended.
    std::size_t waiting() const { return *waiting_; }

private:
    notifier moved_;
    std::int64_t now_ms_;
    steady_time steady_;
    std::shared_ptr<std::size_t> waiting_ = std::make_shared<std::size_t>(0);    // frames may outlive this object
};

}    // namespace caisson::testing
