#pragma once

#include "core/base/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace caisson::cli {

/// The status line of a run that prints nothing at the moment. No I/O; `now` is the time of each call.
class run_phase {
public:
    explicit run_phase(steady_time now) : since_(now), quiet_since_(now) { }

    void waits(steady_time now) { become(state::waiting, now); }
    void starts(steady_time now) { become(state::running, now); }
    void is_cancelled(steady_time now) { become(state::cancelling, now); }
    /// The place in the queue, from 1; empty if not known.
    void set_place(std::optional<std::int64_t> place) { place_ = place; }
    /// The record's reason for the wait; empty: the run waits for its turn.
    void set_reason(std::string waits_for) { waits_for_ = std::move(waits_for); }
    /// Call after output; `at_line_start`: it ended with a line feed.
    void printed(bool at_line_start, steady_time now);

    bool is_waiting() const { return state_ == state::waiting; }
    /// "caisson: place 3 in the queue, 4 s". Empty while a line would disturb: for 0.9 s after output, and after an unfinished line.
    std::string line(steady_time now) const;

private:
    enum class state { waiting, running, cancelling };
    void become(state next, steady_time now);

    state state_ = state::waiting;
    steady_time since_;          // start of the state
    steady_time quiet_since_;    // time of the last output
    bool at_line_start_ = true;
    std::optional<std::int64_t> place_;
    std::string waits_for_;
};

}    // namespace caisson::cli
