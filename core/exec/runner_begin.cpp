#include "core/exec/runner.hpp"

#include "core/async/without_exceptions.hpp"
#include "core/exec/collect/files_at_end.hpp"
#include "core/exec/record/record_policy.hpp"

/// How a program is started while its execution is still being recorded. See docs/adr/0013.
namespace caisson {

bool runner::takes_at_once(const std::string& runtime) const
{
    return use_.runtimes.contains(runtime) && is_enabled(runtime) && breakers_.of(runtime).state == circuit_breaker::state::closed;
}

/// False if its package has to be waited for.
bool runner::hold_package_now(execution& one)
{
    if (!one.spec.skill)
        return true;
    if (use_.trees != nullptr)
        one.now.tree = use_.trees->open_now(one.row.tenant, one.spec.skill->digest);
    return one.now.tree != nullptr;
}

/// False if its image has to be asked for.
bool runner::hold_image_now(execution& one) const
{
    if (use_.images == nullptr || !runs_in_image(one))
        return true;
    auto known = use_.images->find_now(one.spec.image);
    if (!known)
        return false;
    one.now.image = std::move(*known);
    return true;
}

bool runner::begin_now(live_ptr one, waiting_place& place)
{
    if (!use_.pool || !hold_image_now(*one) || !hold_package_now(*one))
        return false;
    const auto wanted = shape_of(*one, sandbox_for(*one));
    if (!pool_.has_ready(wanted))
        return false;
    auto permit = ask_for_permit(*one);
    if (!permit)
        return false;
    one->phase = run_phase::starting;
    one->begin_attempt();
    if (!claim_sandbox(*one, wanted)) {
        one->row.attempts.clear();
        one->phase = run_phase::waiting;
        return false;
    }
    permit->succeeded();
    one->take(std::move(place));
    queue_.enter(one);
    one->row.stages.queue_ms = ms_between(one->accepted_at, use_.time.steady_now());
    try {
        note_degraded(*one);
        note_sandbox(*one);
        start_program(*one);
        keep_link(one);    // which begins with sending that; supervise() has it watched
    } catch (const std::exception&) {
        discard(one);
        throw;
    }
    one->phase = run_phase::starting;    // until it is recorded: a server that stops waits for that
    return true;
}

bool runner::makes_soon(const std::string& runtime) const
{
    const auto found = use_.runtimes.find(runtime);
    return found != use_.runtimes.end() && found->second->makes_soon();
}

std::optional<runtime_breakers::permit> runner::begin_making(live_ptr one, waiting_place& place)
{
    if (!makes_soon(one->row.runtime) || !hold_package_now(*one))
        return std::nullopt;
    auto permit = ask_for_permit(*one);
    if (!permit || !makes_soon(one->row.runtime))    // it may have fallen back to another
        return std::nullopt;
    one->phase = run_phase::starting;    // until it is recorded: a server that stops waits for that
    one->take(std::move(place));
    queue_.enter(one);
    one->row.stages.queue_ms = ms_between(one->accepted_at, use_.time.steady_now());
    return permit;
}

task<result<void>> runner::make_now(live_ptr one, runtime_breakers::permit permit)
{
    one->begin_attempt();
    one->now.at_host = true;
    auto making = without_exceptions(make_unrecorded(one));
    const auto made = co_await std::move(making);
    if (made.has_error()) {
        if (one->now.at_host)
            permit.failed();
        co_return made;
    }
    permit.succeeded();
    start_program(*one);
    one->phase = run_phase::starting;
    co_return result<void>();
}

/// One that has become ready meanwhile serves too; whoever keeps some ready learns of the demand.
task<result<void>> runner::make_unrecorded(live_ptr one)
{
    auto wanted = sandbox_for(*one);
    const bool is_ready = claim_sandbox(*one, shape_of(*one, wanted));
    if (!is_ready) {
        auto made = co_await make_sandbox(one, std::move(wanted));
        if (made.has_error())
            co_return made;
    }
    note_degraded(*one);
    auto reaching = is_ready ? hold_link(one) : reach_agent(one);
    auto reached = co_await std::move(reaching);
    if (!reached.has_error())
        note_sandbox(*one);
    co_return reached;
}

task<> runner::run_failed(live_ptr one, error why)
{
    const auto next = co_await conclude_unstarted(one, std::move(why));
    if (next == after::again)
        co_await run(one);
}

task<> runner::run_begun(live_ptr one)
{
    one->phase = run_phase::running;
    const auto next = co_await run_in_sandbox(one);
    if (next == after::again)
        co_await run(one);
}

bool runner::may_end_unrecorded(const execution& one)
{
    unrecorded_state at;
    at.has_failed = !one.heard.start_failure.empty() || !one.heard.lost.empty();
    at.log_is_short = one.log->may_be_taken_whole();
    at.files_come_with_end = one.now.at_end && one.now.at_end->now() != files_at_end::state::refused;
    return record_policy::may_end_first(wishes_of(one.spec, false, true), at);
}

task<bool> runner::wait_for_exit_and_streams(live_ptr one)
{
    while (may_end_unrecorded(*one)) {
        const bool has_files = !one->now.at_end || one->now.at_end->now() == files_at_end::state::whole;
        if (one->heard.exited && one->streams_ended() && has_files)
            co_return true;
        const auto seen = one->changed.version();
        co_await one->changed.wait_past(seen);
    }
    co_return false;
}

void runner::discard(live_ptr one)
{
    if (one->now.group)
        one->now.group->kill();
    release_agent(*one);
    clean_up(one, "end of an unrecorded ", end_discarded(one));
}

task<> runner::end_discarded(live_ptr one)
{
    co_await end_sandbox(one, "its execution could not be recorded");
    queue_.leave(*one);
    leaving_.erase(one);
}

}    // namespace caisson
