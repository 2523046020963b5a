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

watched_limits limits_of_program(const execution_spec& spec)
{
    return {.wall_ms = spec.limits.wall_ms,
        .cpu_ms = spec.limits.cpu_ms,
        .ends_at_output_limit = spec.output_limit_action == on_output_limit::kill};
}

program_readings readings_of(const execution& one, bool wants_usage)
{
    program_readings seen;
    seen.cancel_wanted = one.cancel_wanted();
    seen.output_cut = one.was_cut();
    seen.log_failure = one.log->failure();
    seen.start_heard = one.heard.start_heard;
    seen.started_at = one.heard.started_at;
    seen.asked_at = one.heard.asked_at;
    seen.killed_without_agent = !one.now.group || one.now.group->kills_by_itself();
    seen.is_lost = !one.heard.lost.empty();
    if (wants_usage && one.now.group)
        seen.used = {one.used(), one.sandbox()->disk(), one.sandbox()->uncounted_bytes(most_uncounted_bytes) >= most_uncounted_bytes};
    return seen;
}

}    // namespace

/// The reading takes a share of the processor that does not grow with how much runs.
std::chrono::milliseconds runner::between_looks() const { return look_every * std::max<std::size_t>(1, supervised_ / looked_at_so_often); }

std::shared_ptr<limit_watch> runner::watch_of(const execution& one) const
{
    const auto first_usage_at = use_.time.steady_now() + (one.now.taken_up ? 0ms : between_looks());
    return std::make_shared<limit_watch>(limits_of_program(one.spec), first_usage_at);
}

task<> runner::supervise(live_ptr one, std::shared_ptr<limit_watch> watched)
{
    const count_guard counted(supervised_);
    for (bool is_first = true; !over(*one); is_first = false) {
        const auto seen = one->changed.version();
        if (!is_first)    // of many programs that is heard of first that they have ended
            keep_watch(one);
        if (one->heard
                .unknown_to_agent) {    // it is to be compiled, or an earlier server ended before the program was started: start it now
            one->heard.unknown_to_agent = false;
            one->stop_listening();
            if (one->spec.compile && !one->cancel_wanted()) {
                const bool compiled = co_await compile(one, watched);
                if (!compiled)
                    co_return;
            }
            if (one->cancel_wanted()) {
                watched->facts().cancelled = true;
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

bool runner::over(const execution& one) { return one.heard.exited || !one.heard.start_failure.empty() || !one.heard.lost.empty(); }

void runner::look(execution& one, limit_watch& watched)
{
    const auto now = use_.time.steady_now();
    const auto next = watched.look(now, readings_of(one, watched.wants_usage(now)), between_looks());
    if (next.terminate)
        one.link()->signal(only_execution, SIGTERM, protocol::agent_link::target::group);
    if (next.kill) {
        if (one.now.group)
            one.now.group->kill();
        one.link()->signal(only_execution, SIGKILL, protocol::agent_link::target::sandbox);
    }
    if (!next.give_up.empty())
        one.give_up(next.give_up);
}

}    // namespace caisson
