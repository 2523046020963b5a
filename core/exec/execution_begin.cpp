#include "core/exec/execution_life.hpp"

#include "core/async/without_exceptions.hpp"
#include "core/exec/collect/files_at_end.hpp"
#include "core/exec/record/record_policy.hpp"

/// How a program is started while its execution is still being recorded. See docs/adr/0013.
namespace caisson {

bool execution_life::begin_now(const execution_ptr& one, waiting_place& place)
{
    if (!use_.sources.pool || !placement_.hold_image_now(*one) || !sandboxes_.hold_package_now(*one))
        return false;
    const auto wanted = sandboxes_.shape_of(*one, sandboxes_.sandbox_for(*one));
    if (!sandboxes_.has_ready(wanted))
        return false;
    auto permit = placement_.ask_for_permit(*one);
    if (!permit)
        return false;
    one->phase = run_phase::starting;
    one->begin_attempt();
    if (!sandboxes_.claim_sandbox(*one, wanted)) {
        one->row.attempts.clear();
        one->phase = run_phase::waiting;
        return false;
    }
    permit->succeeded();
    placement_.enter(one, place);
    try {
        sandboxes_.note_degraded(*one);
        sandboxes_.note_sandbox(*one);
        programs_.start_program(*one);
        sandboxes_.keep_link(one);    // sends the order; run_begun() begins the watch
    } catch (const std::exception&) {
        disposal_.discard(one);
        throw;
    }
    one->phase = run_phase::starting;    // until it is recorded: a server that stops waits for that
    return true;
}

std::optional<runtime_breakers::permit> execution_life::begin_making(const execution_ptr& one, waiting_place& place)
{
    if (!placement_.creates_fast(one->row.runtime) || !sandboxes_.hold_package_now(*one))
        return std::nullopt;
    auto permit = placement_.ask_for_permit(*one);
    if (!permit || !placement_.creates_fast(one->row.runtime))    // it may have fallen back to another
        return std::nullopt;
    one->phase = run_phase::starting;    // until it is recorded: a server that stops waits for that
    placement_.enter(one, place);
    return permit;
}

task<result<void>> execution_life::make_now(execution_ptr one, runtime_breakers::permit permit)
{
    one->begin_attempt();
    one->current.at_host = true;
    auto making = without_exceptions(sandboxes_.make_unrecorded(one));
    const auto made = co_await std::move(making);
    if (made.has_error()) {
        if (one->current.at_host)
            permit.failed();
        co_return made;
    }
    permit.succeeded();
    programs_.start_program(*one);
    one->phase = run_phase::starting;
    co_return result<void>();
}

task<> execution_life::run_failed(execution_ptr one, error why)
{
    const auto next = co_await conclude_unstarted(one, std::move(why));
    if (next == after::again)
        co_await carry_out(one);
}

task<> execution_life::run_begun(execution_ptr one)
{
    one->phase = run_phase::running;
    const auto next = co_await run_in_sandbox(one);
    if (next == after::again)
        co_await carry_out(one);
}

bool execution_life::may_end_unrecorded(const execution& one)
{
    unrecorded_state at;
    at.has_failed = !one.heard.start_failure.empty() || !one.heard.lost.empty();
    at.log_is_short = one.log->may_be_taken_whole();
    at.files_come_with_end = one.current.at_end && one.current.at_end->now() != files_at_end::state::refused;
    return record_policy::may_end_first(wishes_of(one.spec, false, true), at);
}

task<bool> execution_life::wait_for_exit_and_streams(execution_ptr one)
{
    while (may_end_unrecorded(*one)) {
        const bool has_files = !one->current.at_end || one->current.at_end->now() == files_at_end::state::whole;
        if (one->heard.exited && one->streams_ended() && has_files)
            co_return true;
        const auto seen = one->changed.version();
        co_await one->changed.wait_past(seen);
    }
    co_return false;
}

}    // namespace caisson
