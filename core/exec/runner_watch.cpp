#include "core/async/deadline.hpp"
#include "core/base/count_guard.hpp"
#include "core/exec/record/record.hpp"
#include "core/exec/runner.hpp"

#include <algorithm>
#include <csignal>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// How often the group's CPU time and memory events are read, as long as no more executions run than this.
constexpr std::chrono::milliseconds look_every = 50ms;
constexpr std::size_t looked_at_so_often = 64;
/// From SIGTERM to SIGKILL when an execution is cancelled.
constexpr auto cancel_grace = 1s;
/// After SIGKILL the agent has this long to report the end, if it was heard before.
constexpr auto report_grace = 10s;

}    // namespace

/// The reading takes a share of the processor that does not grow with how much runs.
std::chrono::milliseconds runner::between_looks() const { return look_every * std::max<std::size_t>(1, supervised_ / looked_at_so_often); }

task<> runner::supervise(live_ptr one, std::shared_ptr<watch> watched)
{
    const count_guard counted(supervised_);
    watched->next_look = use_.time.steady_now() + (one->taken_up ? 0ms : between_looks());
    for (bool is_first = true; !over(*one); is_first = false) {
        const auto seen = one->changed.version();
        if (!is_first)    // of many programs that is heard of first that they have ended
            keep_watch(one);
        if (one->unknown_to_agent) {    // it is to be compiled, or an earlier server ended before the program was started: start it now
            one->unknown_to_agent = false;
            one->link->detach(only_execution);
            if (one->spec.compile && !one->cancel_wanted()) {
                const bool compiled = co_await compile(one, watched);
                if (!compiled)
                    co_return;
            }
            if (one->cancel_wanted()) {
                watched->facts.cancelled = true;
                co_return;
            }
            start_program(*one);
        }
        look(*one, *watched);
        if (over(*one))
            break;
        auto change = one->changed.wait_past(seen);
        const auto woken = co_await with_deadline(use_.time, use_.time.steady_now() + between_looks(), std::move(change));
        static_cast<void>(woken);    // everything is looked at anyway
    }
}

bool runner::over(const live_execution& one) { return one.exited || !one.start_failure.empty() || !one.lost.empty(); }

void runner::look(live_execution& one, watch& watched)
{
    look_at_wishes(one, watched);
    look_at_group(one, watched);
    look_at_clock(one, watched);
    look_at_log(one, watched);
}

void runner::look_at_wishes(live_execution& one, watch& watched)
{
    const auto now = use_.time.steady_now();
    if (one.cancel_wanted() && !watched.cancel_sent) {
        watched.facts.cancelled = true;
        watched.cancel_sent = now;
        one.link->signal(only_execution, SIGTERM, protocol::agent_link::target::group);
    }
    if (watched.cancel_sent && now >= *watched.cancel_sent + cancel_grace)
        kill(one, watched, now);
    if (one.spec.output_limit_action == on_output_limit::kill && one.was_cut()) {
        watched.facts.output_limit = true;
        kill(one, watched, now);
    }
}

void runner::look_at_group(live_execution& one, watch& watched)
{
    const auto now = use_.time.steady_now();
    if (!one.group || watched.killed || now < watched.next_look)
        return;
    watched.next_look = now + between_looks();
    const auto usage = one.used();
    note_disk(watched.facts.disk, one.sandbox->disk());
    if (usage.oom_kills > 0) {
        watched.facts.killed_for_memory = true;
        kill(one, watched, now);
    } else if (one.sandbox->uncounted_bytes(most_uncounted_bytes) >= most_uncounted_bytes) {
        watched.facts.uncounted_limit = true;
        kill(one, watched, now);
    } else if (usage.cpu_us && *usage.cpu_us >= one.spec.limits.cpu_ms * 1000) {
        watched.facts.cpu_limit = true;
        kill(one, watched, now);
    }
}

void runner::look_at_clock(live_execution& one, watch& watched)
{
    const auto now = use_.time.steady_now();
    const auto latest = one.started_at + std::chrono::milliseconds(one.spec.limits.wall_ms) + wall_backstop;
    if (one.start_heard && now >= latest) {
        watched.facts.wall_limit = true;
        kill(one, watched, now);
    }
    if (!one.start_heard && now >= std::max(latest, one.asked_at) + silence_grace) {
        kill(one, watched, now);
        one.lost = "the sandbox's agent did not say how the program stands until " + std::to_string(silence_grace.count()) +
                   " s after its wall limit";
    }
    const bool is_dead = !one.group || one.group->kills_by_itself();
    if (watched.killed_at &&
        now >= *watched.killed_at + (one.start_heard && is_dead ? std::chrono::seconds(report_grace) : silence_grace)) {
        one.lost = "the sandbox's agent did not report the end of the killed program";
        watched.facts.wall_limit = watched.facts.wall_limit && is_dead;    // else it may have ended before, unheard
    }
}

/// What the program prints cannot be kept: it must not go on as if it were.
void runner::look_at_log(live_execution& one, watch& watched)
{
    if (one.log->failure().empty() || !one.lost.empty())
        return;
    kill(one, watched, use_.time.steady_now());
    one.lost = "its output cannot be stored: " + one.log->failure();
}

void runner::kill(live_execution& one, watch& watched, steady_time now)
{
    if (watched.killed)
        return;
    watched.killed = true;
    watched.killed_at = now;
    if (one.group)
        one.group->kill();
    one.link->signal(only_execution, SIGKILL, protocol::agent_link::target::sandbox);
}

}    // namespace caisson
