#include "core/async/retry_until_answered.hpp"
#include "core/exec/attempts.hpp"
#include "core/exec/execution_life.hpp"
#include "core/exec/record/record.hpp"
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
task<> execution_life::fetch_spec(execution_ptr exec)
{
    std::function<task<result<execution_spec>>()> ask = [this, exec] {
        return use_.stores.executions.find_spec(exec->row.tenant, exec->row.id);
    };
    auto asking = retry_until_answered(&use_.time, &use_.log, log_field("execution_id", exec->row.id.str()), std::move(ask));
    auto spec = co_await std::move(asking);
    if (spec.has_error())
        throw std::runtime_error("what to run is not stored any more: " + spec.error().detail);
    exec->spec = std::move(*spec);
    exec->give_request_stdin();
    const retry_deadline deadline(use_.time.steady_now() - exec->tries.first_began, wall_of(exec->row));
    exec->spec.limits.wall_ms = std::max(deadline.left(), least_attempt).count();
}

std::optional<std::chrono::milliseconds> execution_life::delay_of_next(
    execution& exec, const ending& end, attempt_fault fault, const ending_facts& facts)
{
    const auto number = exec.attempt().number;
    const failed_attempt what{
        number, fault, own_exit_code(end), exec.spec.idempotent, facts.host_to_blame, exec.stdin_spent(), exec.cancel_wanted()};
    auto judged = facts.can_repeat ? judge(what, exec.spec.retry) : retry_verdict::not_a_reason;
    const auto delay = delay_before(number, backoff_of(exec.spec.retry), use_.jitter());
    const retry_deadline deadline(use_.time.steady_now() - exec.tries.first_began, wall_of(exec.row));
    if (judged == retry_verdict::repeat && !deadline.allows(delay))
        judged = retry_verdict::no_time_left;
    if (judged == retry_verdict::repeat)
        return delay;
    if (judged == retry_verdict::no_time_left || judged == retry_verdict::input_is_gone)
        exec.tries.no_other = to_string(judged);
    return std::nullopt;
}

/// Stores the record first: from then on this attempt is over, and the next one comes, in this server or the next. Then the log says so,
/// and the sandbox and the place are given up.
task<> execution_life::schedule(execution_ptr exec, ending end, attempt_fault fault, std::chrono::milliseconds delay)
{
    exec->log->end_attempt();
    co_await recorder_.store_log(exec);    // the next attempt's streams begin behind what is stored
    end_attempt(exec->attempt(), end, fault, use_.time.now_ms());
    exec->attempt().delay_ms = delay.count();
    exec->row.limits_hit = end.limits_hit;
    exec->row.next_attempt_at_ms = use_.time.now_ms() + delay.count();
    exec->tries.next_at = use_.time.steady_now() + delay;
    exec->row.status = execution_status::queued;
    exec->row.started_at_ms.reset();
    exec->row.stages = {};
    exec->row.usage = {};
    exec->row.compile.reset();
    exec->row.degraded.clear();
    exec->row.image_digest.clear();
    co_await recorder_.store_schedule(exec);
    exec->log->control(event_kind::state, next_attempt_body(exec->row));
    co_await recorder_.store_log(exec);
    use_.log.info("an execution is tried again", {{"execution_id", exec->row.id.str()}, {"attempt", exec->attempt().number + 1},
                                                     {"delay_ms", delay.count()}, {"cause", exec->attempt().error}});
    co_await make_ready_for_next(exec);
}

task<> execution_life::make_ready_for_next(execution_ptr exec)
{
    sandbox_disposal::release_agent(*exec);
    co_await disposal_.end_sandbox(exec, "an attempt of its execution ended: " + exec->attempt().error);
    exec->row.sandbox.reset();
    exec->forget_attempt();
    exec->spec.files.clear();    // fetch_spec() fetches them again
    queue_.step_aside(*exec);
    exec->phase = run_phase::waiting;
    exec->wake();
}

}    // namespace caisson
