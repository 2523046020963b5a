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

/// Runs the I/O thread and measures its turns. A turn handles one event; all other requests wait until it ends. Turns are measured in
/// processor time of the thread, so a busy host makes none long, and waits for a disk or a lock do not count. A signal after every 10 ms of
/// processor time (timer_create(2), CLOCK_THREAD_CPUTIME_ID) checks if the turn is still the same. I/O thread only; one object in a
/// process.
class turn_watch {
public:
    /// A turn of this length or more is long. A turn is measured from its first signal on: up to 20 ms too short, never too long.
    static constexpr std::chrono::milliseconds long_turn{20};

    explicit turn_watch(logger& log);
    ~turn_watch();
    turn_watch(const turn_watch&) = delete;
    turn_watch& operator=(const turn_watch&) = delete;

    /// Does what context.run() does. Logs a long turn if it is the longest so far or the last warning is ten seconds old, with its stack
    /// after 20 ms.
    void run(asio::io_context& context);
    /// Forgets all turns until now.
    void begin_anew();

    /// The number of long turns and the longest, as a sentence; empty if there was none. Says so if the host has no such timer.
    std::string detail() const;

private:
    static constexpr int most_frames = 48;
    /// Shared by the signal handler and the thread that it interrupts.
    struct record {
        std::atomic<std::uint64_t> turn = 1;
        std::uint64_t seen_turn = 0;    // at the last signal
        std::int64_t lasted_ns = 0;     // of that turn, from its first signal on
        std::int64_t long_ns = 0;       // the last long turn; a signal may come between its end and the check for it
        std::int64_t longest_ns = 0;    // of all turns
        std::uint64_t long_turns = 0;
        int frames = 0;    // of a long turn; 0 once it was logged or skipped
        void* stack[most_frames] = {};
    };

    static void look(int number, siginfo_t* about, void* context);
    void start_timer();
    void tell();

    logger& log_;
    record record_;
    std::int64_t told_ns_ = 0;    // the longest turn logged
    std::optional<std::chrono::steady_clock::time_point> told_at_;
    timer_t timer_ = {};
    bool has_timer_ = false;
};

}    // namespace caisson
