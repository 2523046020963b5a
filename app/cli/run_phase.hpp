#pragma once

#include "core/base/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace caisson::cli {

/// What a terminal tells of a run while the run itself prints nothing. No I/O; `now` is the time of each call.
class run_phase {
public:
    explicit run_phase(steady_time now) : since_(now), quiet_since_(now) { }

    void waits(steady_time now) { become(state::waiting, now); }
    void starts(steady_time now) { become(state::running, now); }
    void is_cancelled(steady_time now) { become(state::cancelling, now); }
    /// Its place in the queue, 1 for the next; nothing if nobody knows.
    void set_place(std::optional<std::int64_t> place) { place_ = place; }
    /// What it waits for instead, as the record says it; empty: its turn.
    void set_reason(std::string waits_for) { waits_for_ = std::move(waits_for); }
    /// Something was printed; `at_line_start`: it ended with its line.
    void printed(bool at_line_start, steady_time now);

    bool is_waiting() const { return state_ == state::waiting; }
    /// "caisson: place 3 in the queue, 4 s"; empty while a line would be in the way: within a second of what was printed, and behind
    /// the begin of a line.
    std::string line(steady_time now) const;

private:
    enum class state { waiting, running, cancelling };
    void become(state next, steady_time now);

    state state_ = state::waiting;
    steady_time since_;          // of the state
    steady_time quiet_since_;    // nothing was printed from then on
    bool at_line_start_ = true;
    std::optional<std::int64_t> place_;
    std::string waits_for_;
};

}    // namespace caisson::cli
