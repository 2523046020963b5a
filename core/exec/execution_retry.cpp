#include "core/exec/attempts.hpp"
#include "core/exec/execution_life.hpp"
#include "core/exec/record/record.hpp"
#include "core/exec/retry_until_answered.hpp"
#include "core/retry/backoff.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

/// What an ended attempt means, and the way to the next one. See docs/internals/attempts.md.
namespace caisson {

namespace {

std::chrono::milliseconds wall_of(const execution_row& row) { return std::chrono::milliseconds(row.limits.wall_ms); }

/// The program's own exit code. A program that a limit ended has none.
std::optional<int> own_exit_code(const ending& end) { return end.verdict == verdict::exited ? end.exit_code : std::nullopt; }

}    // namespace

/// Fetches what the attempt before used up: files, and the request's stdin. The wall limit becomes what is left of it.
task<> execution_life::fetch_spec(execution_ptr one)
{
    std::function<task<result<execution_spec>>()> ask = [this, one] {
        return use_.stores.executions.find_spec(one->row.tenant, one->row.id);
    };
    auto asking = retry_until_answered(&use_.time, &use_.log, one->row.id.str(), std::move(ask));
    auto spec = co_await std::move(asking);
    if (spec.has_error())
        throw std::runtime_error("what to run is not stored any more: " + spec.error().detail);
    one->spec = std::move(*spec);
    one->give_request_stdin();
    const retry_deadline deadline(use_.time.steady_now() - one->tries.first_began, wall_of(one->row));
    one->spec.limits.wall_ms = std::max(deadline.left(), least_attempt).count();
}

std::optional<std::chrono::milliseconds> execution_life::delay_of_next(
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

/// Stores the record first: from then on this attempt is over, and the next one comes, in this server or the next. Then the log says so,
/// and the sandbox and the place are given up.
task<> execution_life::schedule(execution_ptr one, ending end, attempt_fault fault, std::chrono::milliseconds delay)
{
    one->log->end_attempt();
    co_await recorder_.store_log(one);    // the next attempt's streams begin behind what is stored
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
    co_await recorder_.store_schedule(one);
    one->log->control(event_kind::state, next_attempt_body(one->row));
    co_await recorder_.store_log(one);
    use_.log.info("an execution is tried again", {{"execution_id", one->row.id.str()}, {"attempt", one->attempt().number + 1},
                                                     {"delay_ms", delay.count()}, {"cause", one->attempt().error}});
    co_await make_ready_for_next(one);
}

task<> execution_life::make_ready_for_next(execution_ptr one)
{
    sandbox_disposal::release_agent(*one);
    co_await disposal_.end_sandbox(one, "an attempt of its execution ended: " + one->attempt().error);
    one->row.sandbox.reset();
    one->forget_attempt();
    one->spec.files.clear();    // fetch_spec() fetches them again
    queue_.step_aside(*one);
    one->phase = run_phase::waiting;
    one->wake();
}

}    // namespace caisson
