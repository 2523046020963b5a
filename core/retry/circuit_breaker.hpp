#pragma once

#include "core/base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
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
    enum class permit { refused, ordinary, trial };

    explicit circuit_breaker(breaker_options options = {}) : options_(options) { }

    /// Whether a try may begin. Who has one tells its outcome: succeeded(), failed() or abandoned().
    permit ask(steady_time now);
    void succeeded();
    void failed(permit which, steady_time now);
    /// A try that came to no outcome: it was cancelled, or failed for a reason of its own.
    void abandoned(permit which);

    state state_at(steady_time now) const;
    /// How long nobody may try; 0 unless it is open.
    std::chrono::milliseconds pause_left(steady_time now) const;
    /// Faults in a row, as far as they count.
    std::size_t faults() const { return recent_.size(); }

private:
    void open(std::chrono::milliseconds pause, steady_time now);

    breaker_options options_;
    std::deque<steady_time> recent_;    // the last faults in a row
    bool open_ = false;
    bool trial_ = false;    // one is under way
    std::chrono::milliseconds pause_{0};
    steady_time open_until_;
};

std::string_view to_string(circuit_breaker::state value);

}    // namespace caisson
