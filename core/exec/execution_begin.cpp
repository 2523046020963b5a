#include "core/exec/execution_life.hpp"

#include "core/async/without_exceptions.hpp"
#include "core/exec/collect/files_at_end.hpp"
#include "core/exec/record/record_policy.hpp"

/// How a program is started while its execution is still being recorded. See docs/adr/0013.
namespace caisson {

bool execution_life::begin_now(const execution_ptr& exec, waiting_place& place)
{
    if (!use_.sources.pool || !placement_.hold_image_now(*exec) || !provider_.hold_package_now(*exec))
        return false;
    const auto wanted = provider_.shape_of(*exec, provider_.sandbox_for(*exec));
    if (!provider_.has_ready(wanted))
        return false;
    auto permit = placement_.ask_for_permit(*exec);
    if (!permit)
        return false;
    exec->phase = run_phase::starting;
    exec->begin_attempt();
    if (!provider_.claim_sandbox(*exec, wanted)) {
        exec->row.attempts.clear();
        exec->phase = run_phase::waiting;
        return false;
    }
    permit->succeeded();
    placement_.enter(exec, place);
    try {
        provider_.note_degraded(*exec);
        provider_.note_sandbox(*exec);
        programs_.start_program(*exec);
        provider_.keep_link(exec);    // sends the order; run_begun() begins the watch
    } catch (const std::exception&) {
        disposal_.discard(exec);
        throw;
    }
    exec->phase = run_phase::starting;    // until it is recorded: a server that stops waits for that
    return true;
}

std::optional<runtime_breakers::permit> execution_life::begin_making(const execution_ptr& exec, waiting_place& place)
{
    if (!placement_.creates_fast(exec->row.runtime) || !provider_.hold_package_now(*exec))
        return std::nullopt;
    auto permit = placement_.ask_for_permit(*exec);
    if (!permit || !placement_.creates_fast(exec->row.runtime))    // it may have fallen back to another
        return std::nullopt;
    exec->phase = run_phase::starting;    // until it is recorded: a server that stops waits for that
    placement_.enter(exec, place);
    return permit;
}

task<result<void>> execution_life::make_now(execution_ptr exec, runtime_breakers::permit permit)
{
    exec->begin_attempt();
    exec->current.at_host = true;
    auto making = without_exceptions(provider_.make_unrecorded(exec));
    const auto made = co_await std::move(making);
    if (made.has_error()) {
        if (exec->current.at_host)
            permit.failed();
        co_return made;
    }
    permit.succeeded();
    programs_.start_program(*exec);
    exec->phase = run_phase::starting;
    co_return result<void>();
}

task<> execution_life::run_failed(execution_ptr exec, error why)
{
    const auto next = co_await conclude_unstarted(exec, std::move(why));
    if (next == after::again)
        co_await carry_out(exec);
}

task<> execution_life::run_begun(execution_ptr exec)
{
    exec->phase = run_phase::running;
    const auto next = co_await run_in_sandbox(exec);
    if (next == after::again)
        co_await carry_out(exec);
}

bool execution_life::may_end_unrecorded(const execution& exec)
{
    unrecorded_state at;
    at.has_failed = !exec.heard.start_failure.empty() || !exec.heard.lost.empty();
    at.log_is_short = exec.log->may_be_taken_whole();
    at.files_come_with_end = exec.current.at_end && exec.current.at_end->now() != files_at_end::state::refused;
    return record_policy::may_end_first(wishes_of(exec.spec, false, true), at);
}

task<bool> execution_life::wait_for_exit_and_streams(execution_ptr exec)
{
    while (may_end_unrecorded(*exec)) {
        const bool has_files = !exec->current.at_end || exec->current.at_end->now() == files_at_end::state::whole;
        if (exec->heard.exited && exec->streams_ended() && has_files)
            co_return true;
        const auto seen = exec->changed.version();
        co_await exec->changed.wait_past(seen);
    }
    co_return false;
}

}    // namespace caisson
