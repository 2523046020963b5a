#include "core/exec/placement.hpp"

#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/exec/elapsed.hpp"
#include "core/retry/decision.hpp"

#include <algorithm>

namespace caisson {

task<std::optional<runtime_breakers::permit>> placement::wait_for_turn(execution_ptr one)
{
    std::unique_ptr<runtime_breakers::place> place;    // kept while it asks, so that no other execution of its tenant asks
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

task<> placement::wait_for_next(execution_ptr one)
{
    if (!one->has_waiting_place())    // an earlier server set the time
        queue_.step_aside(*one);
    while (use_.time.steady_now() < one->tries.next_at && !one->cancel_wanted())
        co_await wait_until_woken(one, one->tries.next_at);
}

task<bool> placement::wait_for_admission(execution_ptr one)
{
    const auto began = one->row.attempts.empty() ? one->accepted_at : use_.time.steady_now();
    const auto latest = latest_begin(*one);
    queue_.enter(one);
    while (!one->admitted() && !one->cancel_wanted() && use_.time.steady_now() < latest)
        co_await wait_until_woken(one, latest);
    one->row.stages.queue_ms = ms_between(began, use_.time.steady_now());
    co_return one->admitted() && !one->cancel_wanted() && use_.time.steady_now() < latest;
}

/// Waits without a place until the execution may ask its runtime's breaker. False: it was cancelled, or it is too late.
task<bool> placement::wait_for_runtime(execution_ptr one, const runtime_breakers::place* place)
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
        one->tries.refused_at.reset();    // from now on the execution waits for its turn only
    co_return may_ask;
}

/// Returns when the execution is woken, or at `until`.
task<> placement::wait_until_woken(execution_ptr one, steady_time until)
{
    auto change = next_change(one, one->changed.version());
    if (until == steady_time::max())
        co_return co_await std::move(change);
    const auto woken = co_await with_deadline(use_.time, until, std::move(change));
    static_cast<void>(woken);
}

/// The latest time at which the next attempt may begin. The first attempt has none.
steady_time placement::latest_begin(const execution& one)
{
    return one.row.attempts.empty() ? steady_time::max()
                                    : one.tries.first_began + std::chrono::milliseconds(one.row.limits.wall_ms) - least_attempt;
}

/// How long the execution waits for its runtime: until the deadline over all attempts; before the first attempt, outage_patience.
steady_time placement::latest_trial(const execution& one)
{
    return one.row.attempts.empty() ? *one.tries.refused_at + outage_patience : latest_begin(one);
}

void placement::enter(const execution_ptr& one, waiting_place& place)
{
    one->take(std::move(place));
    queue_.enter(one);
    one->row.stages.queue_ms = ms_between(one->accepted_at, use_.time.steady_now());
}

std::string placement::outage_of(const execution& one) const
{
    const bool is_out = one.tries.refused_at && breakers_.of(one.row.runtime).state != circuit_breaker::state::closed;
    return is_out ? breakers_.outage(one.row.runtime) : std::string();
}

bool placement::takes_at_once(const std::string& runtime) const
{
    return use_.sources.runtimes.contains(runtime) && is_enabled(runtime) && breakers_.of(runtime).state == circuit_breaker::state::closed;
}

bool placement::is_enabled(const std::string& runtime) const
{
    return use_.sources.enabled.empty() ||
           std::find(use_.sources.enabled.begin(), use_.sources.enabled.end(), runtime) != use_.sources.enabled.end();
}

bool placement::creates_fast(const std::string& runtime) const
{
    const auto found = use_.sources.runtimes.find(runtime);
    return found != use_.sources.runtimes.end() && found->second->traits().fast_create;
}

}    // namespace caisson
