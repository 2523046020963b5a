#include "core/exec/limit_watch.hpp"

#include <algorithm>
#include <utility>

namespace caisson {

limit_watch::limit_watch(watched_limits limits, steady_time first_usage_at) : limits_(std::move(limits)), next_usage_(first_usage_at) { }

watch_action limit_watch::look(steady_time now, const program_readings& seen, std::chrono::milliseconds between)
{
    watch_action next;
    look_at_wishes(now, seen, next);
    if (seen.used && !killed_at_) {
        next_usage_ = now + between;
        look_at_usage(now, *seen.used, next);
    }
    look_at_clock(now, seen, next);
    look_at_log(now, seen, next);
    return next;
}

void limit_watch::look_at_wishes(steady_time now, const program_readings& seen, watch_action& next)
{
    if (seen.cancel_wanted && !terminated_at_) {
        facts_.cancelled = true;
        terminated_at_ = now;
        next.terminate = limits_.ends_gently;
    }
    if (terminated_at_ && (!limits_.ends_gently || now >= *terminated_at_ + cancel_grace))
        kill(now, next);
    if (limits_.ends_at_output_limit && seen.output_cut) {
        facts_.output_limit = true;
        kill(now, next);
    }
}

void limit_watch::look_at_usage(steady_time now, const program_readings::usage& used, watch_action& next)
{
    note_disk(facts_.disk, used.disk);
    if (used.group.oom_kills > 0) {
        facts_.killed_for_memory = true;
        kill(now, next);
    } else if (used.too_much_uncounted) {
        facts_.uncounted_limit = true;
        kill(now, next);
    } else if (used.group.cpu_us && *used.group.cpu_us >= limits_.cpu_ms * 1000) {
        facts_.cpu_limit = true;
        kill(now, next);
    }
}

void limit_watch::look_at_clock(steady_time now, const program_readings& seen, watch_action& next)
{
    const auto latest = seen.started_at + std::chrono::milliseconds(limits_.wall_ms) + wall_backstop;
    if (seen.start_heard && now >= latest) {
        facts_.wall_limit = true;
        kill(now, next);
    }
    if (!seen.start_heard && now >= std::max(latest, seen.asked_at) + silence_grace) {
        kill(now, next);
        next.give_up = "the sandbox's agent did not say how the " + limits_.name + " stands until " +
                       std::to_string(silence_grace.count()) + " s after its wall limit";
    }
    const auto grace = seen.start_heard && seen.killed_without_agent ? report_grace : silence_grace;
    if (killed_at_ && now >= *killed_at_ + grace) {
        next.give_up = "the sandbox's agent did not report the end of the killed " + limits_.name;
        facts_.wall_limit = facts_.wall_limit && seen.killed_without_agent;    // else it may have ended before, unheard
    }
}

/// What the program prints cannot be kept: it must not go on as if it were.
void limit_watch::look_at_log(steady_time now, const program_readings& seen, watch_action& next)
{
    if (seen.log_failure.empty() || seen.is_lost || !next.give_up.empty())
        return;
    kill(now, next);
    next.give_up = "its output cannot be stored: " + std::string(seen.log_failure);
}

void limit_watch::kill(steady_time now, watch_action& next)
{
    if (killed_at_)
        return;
    killed_at_ = now;
    next.kill = true;
}

}    // namespace caisson
