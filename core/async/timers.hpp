#pragma once

#include "core/async/task.hpp"
#include "core/base/clock.hpp"

namespace caisson {

/// A clock that coroutines can wait on. Call now_ms and steady_now from any thread, the waits from the I/O thread.
class timers : public clock {
public:
    /// Returns at `when` (at once if that is past). Terminal cancellation makes it throw operation_aborted.
    virtual task<> wait_until(steady_time when) = 0;
    /// As wait_until(), but returns wait_end::cancelled instead of throwing.
    virtual task<wait_end> wait_until_or_cancelled(steady_time when) = 0;

    task<> wait_for(std::chrono::nanoseconds duration) { return wait_until(steady_now() + duration); }
};

class system_timers : public timers {
public:
    std::int64_t now_ms() const override { return clock_.now_ms(); }
    steady_time steady_now() const override { return clock_.steady_now(); }
    task<> wait_until(steady_time when) override;
    task<wait_end> wait_until_or_cancelled(steady_time when) override;

private:
    system_clock clock_;
};

}    // namespace caisson
