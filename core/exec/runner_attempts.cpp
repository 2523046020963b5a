#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/exec/attempts.hpp"
#include "core/exec/record/record.hpp"
#include "core/exec/retry_until_answered.hpp"
#include "core/exec/runner.hpp"
#include "core/retry/backoff.hpp"

#include <algorithm>

/// How a runner tries again: what an ended attempt means, and the way to the next one. See docs/architecture.md "Attempts".
namespace caisson {

namespace {

std::chrono::milliseconds wall_of(const execution_row& row) { return std::chrono::milliseconds(row.limits.wall_ms); }

/// The program's own exit code; one that a limit ended has none that counts.
std::optional<int> own_exit_code(const ending& end) { return end.verdict == verdict::exited ? end.exit_code : std::nullopt; }

}    // namespace

task<runner::after> runner::attempt(live_ptr one)
{
    if (one->row.next_attempt_at_ms)
        co_await wait_for_next(one);
    auto permit = co_await wait_for_turn(one);
    if (!permit)
        co_return co_await leave_unadmitted(one);
    one->phase = run_phase::starting;
    if (!one->row.attempts.empty())
        co_await fetch_spec(one);
    one->begin_attempt();
    auto making = without_exceptions(try_sandbox(one, std::move(*permit)));
    const auto made = co_await std::move(making);
    if (made.has_value() && !one->cancel_wanted()) {
        if (one->spec.compile)
            one->heard.unknown_to_agent = true;    // it is compiled before
        else
            start_program(*one);
        co_return co_await run_in_sandbox(one);
    }
    std::optional<error> why;
    if (made.has_error())
        why = made.error();
    co_return co_await conclude_unstarted(one, std::move(why));
}

/// Its program was not started: `why`, or it was cancelled. Not a coroutine.
task<runner::after> runner::conclude_unstarted(live_ptr one, std::optional<error> why)
{
    ending_facts facts;
    facts.cancelled = !why;
    if (why)
        note_failure(*one, *why, facts);
    return conclude(std::move(one), std::move(facts));
}

void runner::note_failure(execution& one, const error& why, ending_facts& facts) const
{
    use_.log.warning("a sandbox could not be made",
        {{"execution_id", one.row.id.str()}, {"runtime", one.row.runtime}, {"attempt", one.attempt().number}, {"what", why.detail}});
    const bool lacks_image = !one.now.at_host && (why.code == errc::image_unavailable || (one.now.image && one.now.image->has_error()));
    const bool refuses_image = !one.now.at_host && !lacks_image && why.code == errc::image_not_allowed;
    facts.fault = (lacks_image        ? "the image " + one.spec.image + " could not be had: "
                      : refuses_image ? "the image " + one.spec.image + " cannot be used: "
                                      : "the sandbox could not be started: ") +
                  why.detail;
    facts.host_fault = lacks_image || refuses_image    ? attempt_fault::image_pull
                       : one.now.at_host && one.link() ? attempt_fault::agent_unreachable
                                                       : attempt_fault::runtime_unavailable;
    facts.can_repeat = is_worth_another(why.code);
}

/// Without a place or a sandbox, until the delay is over or a cancel is wanted.
task<> runner::wait_for_next(live_ptr one)
{
    if (!one->has_waiting_place())    // an earlier server set the time
        queue_.step_aside(*one);
    while (use_.time.steady_now() < one->tries.next_at && !one->cancel_wanted())
        co_await wait_until_woken(one, one->tries.next_at);
}

/// One that is woken, or `until`.
task<> runner::wait_until_woken(live_ptr one, steady_time until)
{
    auto change = next_change(one, one->changed.version());
    if (until == steady_time::max())
        co_return co_await std::move(change);
    const auto woken = co_await with_deadline(use_.time, until, std::move(change));
    static_cast<void>(woken);
}

/// A place among those that run, and leave to make a sandbox of an image that is there. A breaker's refusal is no attempt, nor is an image
/// that is to be fetched: the place goes to others, and it comes again when it may ask. Nothing: it was cancelled, or it is too late.
task<std::optional<runtime_breakers::permit>> runner::wait_for_turn(live_ptr one)
{
    std::unique_ptr<runtime_breakers::place> place;    // kept while it asks, so that no other of its tenant does
    for (bool may_begin = true; may_begin;) {
        const bool admitted = co_await wait_for_admission(one);
        if (!admitted)
            break;
        auto permit = ask_for_permit(*one);
        bool can_begin = permit.has_value();
        if (can_begin)
            can_begin = co_await find_image(one);
        if (can_begin)
            co_return permit;
        queue_.step_aside(*one);
        if (permit) {
            permit.reset();
            place.reset();
            co_await wait_for_image(one);
            continue;
        }
        if (!place)
            place = breakers_.line_up(one->row.runtime, one);
        may_begin = co_await wait_for_runtime(one, place.get());
    }
    co_return std::nullopt;
}

/// Without a place, until it is its turn to ask. False: it was cancelled, or it is too late.
task<bool> runner::wait_for_runtime(live_ptr one, const runtime_breakers::place* place)
{
    if (!one->tries.refused_at || *one->tries.refused_at < breakers_.of(one->row.runtime).since)    // the first refusal of this outage
        one->tries.refused_at = use_.time.steady_now();
    const auto latest = latest_trial(*one);
    one->row.waits_for = breakers_.outage(one->row.runtime) + "; it is tried again by itself";
    while (!place->may_ask() && !one->cancel_wanted() && use_.time.steady_now() < latest)
        co_await wait_until_woken(one, std::min(latest, place->next_look()));
    one->row.waits_for.clear();
    const bool may_ask = place->may_ask() && !one->cancel_wanted();
    if (may_ask && breakers_.of(one->row.runtime).state == circuit_breaker::state::closed)
        one->tries.refused_at.reset();    // from now on it waits for its turn only
    co_return may_ask;
}

/// How long it waits for its runtime: until its deadline over all attempts, and before its first for a while.
steady_time runner::latest_trial(const execution& one)
{
    return one.row.attempts.empty() ? *one.tries.refused_at + outage_patience : latest_begin(one);
}

/// When the next attempt must have begun; the first one waits as long as it takes.
steady_time runner::latest_begin(const execution& one)
{
    return one.row.attempts.empty() ? steady_time::max() : one.tries.first_began + wall_of(one.row) - least_attempt;
}

task<bool> runner::wait_for_admission(live_ptr one)
{
    const auto began = one->row.attempts.empty() ? one->accepted_at : use_.time.steady_now();
    const auto latest = latest_begin(*one);
    queue_.enter(one);
    while (!one->admitted() && !one->cancel_wanted() && use_.time.steady_now() < latest)
        co_await wait_until_woken(one, latest);
    one->row.stages.queue_ms = ms_between(began, use_.time.steady_now());
    co_return one->admitted() && !one->cancel_wanted() && use_.time.steady_now() < latest;
}

/// It was cancelled, or it is too late for another attempt, or for the first.
task<runner::after> runner::leave_unadmitted(live_ptr one)
{
    const bool is_out = one->tries.refused_at && breakers_.of(one->row.runtime).state != circuit_breaker::state::closed;
    const auto outage = is_out ? breakers_.outage(one->row.runtime) : std::string();
    if (!one->cancel_wanted() && !one->row.attempts.empty()) {
        one->phase = run_phase::ending;
        const auto why = (outage.empty() ? "" : outage + "; ") + std::string(to_string(retry_verdict::no_time_left));
        co_await record_end(one, ending_of(one->attempt(), one->row.limits_hit, why), std::nullopt);
        clean_up_after(one);
        co_return after::end;
    }
    ending_facts facts;
    facts.cancelled = one->cancel_wanted();
    if (!facts.cancelled)
        facts.fault =
            "the sandbox could not be started: " + outage + "; it was waited for " + std::to_string(outage_patience.count()) + " minutes";
    co_return co_await conclude(one, std::move(facts));
}

/// What the attempt before used up: files, and what the request says of stdin. The limit of time is what is left of it.
task<> runner::fetch_spec(live_ptr one)
{
    std::function<task<result<execution_spec>>()> ask = [this, one] { return use_.executions.find_spec(one->row.tenant, one->row.id); };
    auto asking = retry_until_answered(&use_.time, &use_.log, one->row.id.str(), std::move(ask));
    auto spec = co_await std::move(asking);
    if (spec.has_error())
        throw std::runtime_error("what to run is not stored any more: " + spec.error().detail);
    one->spec = std::move(*spec);
    one->give_request_stdin();
    const retry_deadline deadline(use_.time.steady_now() - one->tries.first_began, wall_of(one->row));
    one->spec.limits.wall_ms = std::max(deadline.left(), least_attempt).count();
}

std::optional<std::chrono::milliseconds> runner::delay_of_next(
    execution& one, const ending& end, attempt_fault fault, const ending_facts& facts)
{
    const auto number = one.attempt().number;
    const failed_attempt what{
        number, fault, own_exit_code(end), one.spec.idempotent, facts.host_to_blame, one.stdin_spent(), one.cancel_wanted()};
    auto judged = facts.can_repeat ? judge(what, one.spec.retry) : retry_verdict::not_a_reason;
    const auto delay = delay_before(number, backoff_of(one.spec.retry), use_.jitter());
    const retry_deadline deadline(use_.time.steady_now() - one.tries.first_began, wall_of(one.row));
    if (judged == retry_verdict::repeat && !deadline.allows(delay))
        judged = retry_verdict::no_time_left;
    if (judged == retry_verdict::repeat)
        return delay;
    if (judged == retry_verdict::no_time_left || judged == retry_verdict::input_is_gone)
        one.tries.no_other = to_string(judged);
    return std::nullopt;
}

/// The record first: from then on the next attempt comes, in whichever server, and this one is over. Then the log says so, the
/// sandbox goes, and the place.
task<> runner::schedule(live_ptr one, ending end, attempt_fault fault, std::chrono::milliseconds delay)
{
    one->log->end_attempt();
    co_await store_log(one);    // the next attempt's streams begin behind what is stored
    end_attempt(one->attempt(), end, fault, use_.time.now_ms());
    one->attempt().delay_ms = delay.count();
    one->row.limits_hit = end.limits_hit;
    one->row.next_attempt_at_ms = use_.time.now_ms() + delay.count();
    one->tries.next_at = use_.time.steady_now() + delay;
    one->row.status = execution_status::queued;
    one->row.started_at_ms.reset();
    one->row.stages = {};
    one->row.usage = {};
    one->row.compile.reset();
    one->row.degraded.clear();
    one->row.image_digest.clear();
    co_await store_schedule(one);
    one->log->control(event_kind::state, next_attempt_body(one->row));
    co_await store_log(one);
    use_.log.info("an execution is tried again", {{"execution_id", one->row.id.str()}, {"attempt", one->attempt().number + 1},
                                                     {"delay_ms", delay.count()}, {"cause", one->attempt().error}});
    co_await make_ready_for_next(one);
}

task<> runner::store_schedule(live_ptr one)
{
    std::function<task<result<void>>()> ask = [this, one] {
        auto stored = one->row;
        stored.sandbox.reset();
        return use_.executions.update(std::move(stored));
    };
    auto asking = retry_until_answered(&use_.time, &use_.log, one->row.id.str(), std::move(ask));
    static_cast<void>(co_await std::move(asking));
}

task<> runner::make_ready_for_next(live_ptr one)
{
    release_agent(*one);
    co_await end_sandbox(one, "an attempt of its execution ended: " + one->attempt().error);
    one->row.sandbox.reset();
    one->now.tree.reset();
    one->forget_attempt();
    one->spec.files.clear();    // fetched again when they are needed
    queue_.step_aside(*one);
    one->phase = run_phase::waiting;
    one->wake();
}

}    // namespace caisson
