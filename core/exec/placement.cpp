#include "core/exec/placement.hpp"

#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/base/elapsed.hpp"
#include "core/retry/decision.hpp"

#include <algorithm>

namespace caisson {

task<std::optional<runtime_breakers::permit>> placement::wait_for_turn(execution_ptr exec)
{
    std::unique_ptr<runtime_breakers::place> place;    // kept while it asks, so that no other execution of its tenant asks
    for (bool may_begin = true; may_begin;) {
        const bool admitted = co_await wait_for_admission(exec);
        if (!admitted)
            break;
        auto permit = ask_for_permit(*exec);
        bool can_begin = permit.has_value();
        if (can_begin)
            can_begin = co_await find_image(exec);
        if (can_begin)
            co_return permit;
        queue_.step_aside(*exec);
        if (permit) {
            permit.reset();
            place.reset();
            co_await wait_for_image(exec);
            continue;
        }
        if (!place)
            place = breakers_.line_up(exec->row.runtime, exec);
        may_begin = co_await wait_for_runtime(exec, place.get());
    }
    co_return std::nullopt;
}

task<> placement::wait_for_next(execution_ptr exec)
{
    if (!exec->has_waiting_place())    // an earlier server set the time
        queue_.step_aside(*exec);
    while (use_.time.steady_now() < exec->tries.next_at && !exec->cancel_wanted())
        co_await wait_until_woken(exec, exec->tries.next_at);
}

task<bool> placement::wait_for_admission(execution_ptr exec)
{
    const auto began = exec->row.attempts.empty() ? exec->accepted_at : use_.time.steady_now();
    const auto latest = latest_begin(*exec);
    queue_.enter(exec);
    while (!exec->admitted() && !exec->cancel_wanted() && use_.time.steady_now() < latest)
        co_await wait_until_woken(exec, latest);
    exec->row.stages.queue_ms = ms_between(began, use_.time.steady_now());
    co_return exec->admitted() && !exec->cancel_wanted() && use_.time.steady_now() < latest;
}

/// Waits without a place until the execution may ask its runtime's breaker. False: it was cancelled, or it is too late.
task<bool> placement::wait_for_runtime(execution_ptr exec, const runtime_breakers::place* place)
{
    if (!exec->tries.refused_at || *exec->tries.refused_at < breakers_.of(exec->row.runtime).since)    // the first refusal of this outage
        exec->tries.refused_at = use_.time.steady_now();
    const auto latest = latest_trial(*exec);
    exec->row.waits_for = breakers_.outage(exec->row.runtime) + "; it is tried again by itself";
    while (!place->may_ask() && !exec->cancel_wanted() && use_.time.steady_now() < latest)
        co_await wait_until_woken(exec, std::min(latest, place->next_look()));
    exec->row.waits_for.clear();
    const bool may_ask = place->may_ask() && !exec->cancel_wanted();
    if (may_ask && breakers_.of(exec->row.runtime).state == circuit_breaker::state::closed)
        exec->tries.refused_at.reset();    // from now on the execution waits for its turn only
    co_return may_ask;
}

/// Returns when the execution is woken, or at `until`.
task<> placement::wait_until_woken(execution_ptr exec, steady_time until)
{
    auto change = next_change(exec, exec->changed.version());
    if (until == steady_time::max())
        co_return co_await std::move(change);
    const auto woken = co_await with_deadline(use_.time, until, std::move(change));
    static_cast<void>(woken);
}

/// The latest time at which the next attempt may begin. The first attempt has none.
steady_time placement::latest_begin(const execution& exec)
{
    return exec.row.attempts.empty() ? steady_time::max()
                                     : exec.tries.first_began + std::chrono::milliseconds(exec.row.limits.wall_ms) - least_attempt;
}

/// How long the execution waits for its runtime: until the deadline over all attempts; before the first attempt, outage_patience.
steady_time placement::latest_trial(const execution& exec)
{
    return exec.row.attempts.empty() ? *exec.tries.refused_at + outage_patience : latest_begin(exec);
}

void placement::enter(const execution_ptr& exec, waiting_place& place)
{
    exec->take(std::move(place));
    queue_.enter(exec);
    exec->row.stages.queue_ms = ms_between(exec->accepted_at, use_.time.steady_now());
}

std::string placement::outage_of(const execution& exec) const
{
    const bool is_out = exec.tries.refused_at && breakers_.of(exec.row.runtime).state != circuit_breaker::state::closed;
    return is_out ? breakers_.outage(exec.row.runtime) : std::string();
}

bool placement::takes_at_once(const std::string& runtime) const
{
    return use_.sources.find(runtime) != nullptr && is_enabled(runtime) && breakers_.of(runtime).state == circuit_breaker::state::closed;
}

bool placement::is_enabled(const std::string& runtime) const
{
    return use_.sources.enabled.empty() ||
           std::find(use_.sources.enabled.begin(), use_.sources.enabled.end(), runtime) != use_.sources.enabled.end();
}

bool placement::creates_fast(const std::string& runtime) const
{
    const auto* const found = use_.sources.find(runtime);
    return found != nullptr && found->traits().fast_create;
}

}    // namespace caisson
