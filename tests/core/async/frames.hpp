#pragma once

#include "core/async/task.hpp"
#include "core/async/timers.hpp"

#include <memory>

namespace caisson::testing {

/// How a frame ended, for tests that look at it from outside. The frame shares it and may outlive the test's own frame.
struct frame_watch {
    int started = 0;
    int finished = 0;     // ran to its end
    int cancelled = 0;    // left by an exception
    int destroyed = 0;    // its locals died, in whatever way
};
using watch = std::shared_ptr<frame_watch>;

/// Counts the death of the frame that holds it.
struct frame_guard {
    explicit frame_guard(watch the_watch) : seen(std::move(the_watch)) { ++seen->started; }
    ~frame_guard() { ++seen->destroyed; }
    frame_guard(const frame_guard&) = delete;
    frame_guard& operator=(const frame_guard&) = delete;
    watch seen;
};

/// Waits and returns `value`.
inline task<int> value_after(timers& time, std::chrono::milliseconds delay, int value, watch seen)
{
    const frame_guard guard(seen);
    try {
        co_await time.wait_for(delay);
    } catch (...) {
        ++seen->cancelled;
        throw;
    }
    ++seen->finished;
    co_return value;
}

inline task<> nothing_after(timers& time, std::chrono::milliseconds delay, watch seen)
{
    co_await value_after(time, delay, 0, std::move(seen));
}

}    // namespace caisson::testing
