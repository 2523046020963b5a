#pragma once

#include "core/async/timers.hpp"
#include "core/exec/ending.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// What a program is held to while it runs.
struct watched_limits {
    std::int64_t wall_ms = 0;    // the agent's task; the server acts limit_watch::wall_backstop later
    std::int64_t cpu_ms = 0;     // of its group
    /// A cancel sends SIGTERM, and SIGKILL limit_watch::cancel_grace later; else SIGKILL at once.
    bool ends_gently = true;
    /// Output behind max_output_bytes ends it.
    bool ends_at_output_limit = false;
    std::string name = "program";    // in sentences
};

/// What the server knows of a program when it looks.
struct program_readings {
    bool cancel_wanted = false;
    bool output_cut = false;             // max_output_bytes was passed
    std::string_view log_failure;        // why its output cannot be stored; empty: it can
    bool start_heard = false;            // the agent said that it runs: started_at is exact
    steady_time started_at{};            // before that: the earliest that it can be
    steady_time asked_at{};              // since when the agent is to say how it stands
    bool killed_without_agent = true;    // a kill of its group ends it, whatever its agent does
    bool is_lost = false;                // it is known why nothing more will be heard

    /// Of its group and its sandbox: read only when limit_watch::wants_usage().
    struct usage {
        group_usage group;
        std::optional<disk_usage> disk;
        bool too_much_uncounted = false;    // most_uncounted_bytes or more
    };
    std::optional<usage> used;
};

/// What is to be done after a look.
struct watch_action {
    bool terminate = false;    // SIGTERM, to its process group
    bool kill = false;         // SIGKILL, to its group and the sandbox
    std::string give_up;       // why nothing more will be heard of it; empty: it is waited for
    bool operator==(const watch_action&) const = default;
};

/// Holds a program, or a compiler, to its limits: says after each look what is to be done, and gathers why it ended. No I/O.
class limit_watch {
public:
    /// The agent ends a program at its wall limit; so much later the server does.
    static constexpr std::chrono::seconds wall_backstop{3};
    /// From SIGTERM to SIGKILL when an execution is cancelled.
    static constexpr std::chrono::seconds cancel_grace{1};
    /// After SIGKILL the agent has this long to report the end, if it was heard before and the kill needs no agent.
    static constexpr std::chrono::seconds report_grace{10};
    /// An agent that does not say how the program stands is waited for that much longer.
    static constexpr std::chrono::seconds silence_grace{30};

    /// The first usage is wanted at `first_usage_at`.
    limit_watch(watched_limits limits, steady_time first_usage_at);

    /// Whether the next look needs program_readings::used.
    bool wants_usage(steady_time now) const { return !killed_at_ && now >= next_usage_; }
    /// Kill and terminate are each said once. After a look with `used` the next is wanted `between` later.
    watch_action look(steady_time now, const program_readings& seen, std::chrono::milliseconds between);

    bool was_killed() const { return killed_at_.has_value(); }
    /// Why it was ended, as far as the looks can tell; the caller adds what it learns elsewhere.
    ending_facts& facts() { return facts_; }
    const ending_facts& facts() const { return facts_; }

private:
    void look_at_wishes(steady_time now, const program_readings& seen, watch_action& next);
    void look_at_usage(steady_time now, const program_readings::usage& used, watch_action& next);
    void look_at_clock(steady_time now, const program_readings& seen, watch_action& next);
    void look_at_log(steady_time now, const program_readings& seen, watch_action& next);
    void kill(steady_time now, watch_action& next);

    const watched_limits limits_;
    ending_facts facts_;
    std::optional<steady_time> terminated_at_;
    std::optional<steady_time> killed_at_;
    steady_time next_usage_;
};

}    // namespace caisson
