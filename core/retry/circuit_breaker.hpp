#pragma once

#include "core/base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

namespace caisson {

/// When a circuit_breaker opens, and for how long.
struct breaker_options {
    std::size_t faults = 5;                          // consecutive faults that open it; at least 1
    std::chrono::seconds within{60};                 // from the first of these faults to the last
    std::chrono::milliseconds first_pause{1'000};    // followed by one trial; each failed trial doubles the pause
    std::chrono::milliseconds longest_pause{60'000};
};

/// Closed: every try is permitted. Open, after consecutive faults: no try for a pause. Half open, after the pause: one trial, whose
/// success closes the breaker and whose failure opens it for longer. No I/O; the caller passes the time.
class circuit_breaker {
public:
    enum class state { closed, open, half_open };
    /// Permits one try.
    struct permit {
        bool trial = false;
        std::uint64_t era = 0;    // counts openings and closings
        bool operator==(const permit&) const = default;
    };

    explicit circuit_breaker(breaker_options options = {}) : options_(options) { }

    /// A permit, or nothing. The holder must report the outcome: succeeded(), failed() or abandoned().
    std::optional<permit> ask(steady_time now);
    /// Whether ask() would return a permit.
    bool lets(steady_time now) const { return !open_ || (!trial_ && now >= open_until_); }
    /// Closes the breaker, even if the try began before it opened.
    void succeeded();
    /// A failed trial reopens the breaker. A trial of an earlier era counts as an ordinary try.
    void failed(permit which, steady_time now);
    /// The try had no outcome: it was cancelled, or failed for an unrelated reason.
    void abandoned(permit which);

    state state_at(steady_time now) const;
    /// Time until the next trial; 0 unless open.
    std::chrono::milliseconds pause_left(steady_time now) const;
    /// Consecutive recent faults, at most breaker_options::faults.
    std::size_t faults() const { return recent_.size(); }

private:
    bool is_the_trial(permit which) const { return which.trial && trial_ && which.era == era_; }
    void open(steady_time now);

    breaker_options options_;
    std::deque<steady_time> recent_;    // times of the last consecutive faults
    bool open_ = false;
    bool trial_ = false;    // a trial of this era is running
    std::uint64_t era_ = 0;
    std::chrono::milliseconds pause_{0};
    steady_time open_until_;
};

std::string_view to_string(circuit_breaker::state value);

}    // namespace caisson
