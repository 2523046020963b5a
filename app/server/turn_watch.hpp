#pragma once

#include "core/async/task.hpp"
#include "core/base/log.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace caisson {

/// Runs the I/O thread and measures its turns. A turn is what one event makes it do: all other requests wait until it ends. The unit is
/// processor time of the thread, so a busy host makes no turn long. A signal after each 10 ms of processor time looks whether the turn is
/// still the same (timer_create(2) with CLOCK_THREAD_CPUTIME_ID). What waits, for a disk or a lock, is not seen. I/O thread only, one
/// object in a process.
class turn_watch {
public:
    /// From here on a turn is long. It counts from the first signal in it: up to 20 ms too little, never too
    /// much, so that what is told is worth a look.
    static constexpr std::chrono::milliseconds long_turn{20};

    explicit turn_watch(logger& log);
    ~turn_watch();
    turn_watch(const turn_watch&) = delete;
    turn_watch& operator=(const turn_watch&) = delete;

    /// Does what context.run() does. The log has a warning for a long turn that is longer than all before it, or where there was none
    /// for ten seconds, with the stack that it had after 20 ms.
    void run(asio::io_context& context);
    /// Forgets all turns until now.
    void begin_anew();

    /// How many turns were long, and the longest, as a sentence; empty if none was. A sentence too where the host has no such timer.
    std::string detail() const;

private:
    static constexpr int most_frames = 48;
    /// What the signal's handler and the thread that it interrupts share.
    struct record {
        std::atomic<std::uint64_t> turn = 1;
        std::uint64_t seen_turn = 0;    // at the last signal
        std::int64_t lasted_ns = 0;     // that turn, from its first signal on
        std::int64_t long_ns = 0;       // the last long turn: a signal may come between its end and a look at it
        std::int64_t longest_ns = 0;    // of all turns
        std::uint64_t long_turns = 0;
        int frames = 0;    // of a long turn; 0 once it was looked at
        void* stack[most_frames] = {};
    };

    static void look(int number, siginfo_t* about, void* context);
    void start_timer();
    void tell();

    logger& log_;
    record record_;
    std::int64_t told_ns_ = 0;    // the longest turn that the log knows
    std::optional<std::chrono::steady_clock::time_point> told_at_;
    timer_t timer_ = {};
    bool has_timer_ = false;
};

}    // namespace caisson
