#pragma once

#include "core/base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

namespace caisson {

/// When something that keeps failing is left alone for a while.
struct breaker_options {
    std::size_t faults = 5;                          // in a row, at least 1
    std::chrono::seconds within{60};                 // from the first to the last of them
    std::chrono::milliseconds first_pause{1'000};    // then one trial; if that fails too the pause doubles
    std::chrono::milliseconds longest_pause{60'000};
};

/// closed: all may try. open, after faults in a row: nobody, for a pause. half_open, after the pause: one trial, whose success
/// closes it and whose failure opens it again for longer. No I/O; the caller brings the time.
class circuit_breaker {
public:
    enum class state { closed, open, half_open };
    /// Leave to try once.
    struct permit {
        bool trial = false;
        std::uint64_t era = 0;    // each opening and closing begins another
        bool operator==(const permit&) const = default;
    };

    explicit circuit_breaker(breaker_options options = {}) : options_(options) { }

    /// Leave to try, or nothing. Who has it tells the outcome: succeeded(), failed() or abandoned().
    std::optional<permit> ask(steady_time now);
    /// Whether ask() would give it.
    bool lets(steady_time now) const { return !open_ || (!trial_ && now >= open_until_); }
    /// Closes it, also by a try that began before it opened.
    void succeeded();
    /// A trial of an era that is over says no more than an ordinary try.
    void failed(permit which, steady_time now);
    /// A try that came to no outcome: it was cancelled, or failed for a reason of its own.
    void abandoned(permit which);

    state state_at(steady_time now) const;
    /// How long nobody may try; 0 unless it is open.
    std::chrono::milliseconds pause_left(steady_time now) const;
    /// Faults in a row, as far as they count.
    std::size_t faults() const { return recent_.size(); }

private:
    bool is_the_trial(permit which) const { return which.trial && trial_ && which.era == era_; }
    void open(steady_time now);

    breaker_options options_;
    std::deque<steady_time> recent_;    // the last faults in a row
    bool open_ = false;
    bool trial_ = false;    // one of this era is under way
    std::uint64_t era_ = 0;
    std::chrono::milliseconds pause_{0};
    steady_time open_until_;
};

std::string_view to_string(circuit_breaker::state value);

}    // namespace caisson
