#include "core/exec/execution_life.hpp"

#include "core/async/without_exceptions.hpp"
#include "core/base/count_guard.hpp"
#include "core/base/elapsed.hpp"
#include "core/exec/attempts.hpp"
#include "core/exec/collect/collect_command.hpp"
#include "core/exec/record/record.hpp"

#include <stdexcept>

namespace caisson {

namespace {

bool is_in_attempt(const execution& exec) { return !exec.row.attempts.empty() && !exec.row.attempts.back().ended_at_ms; }

/// Ends the last attempt as the execution ended, and says in the error how many there were. A cancel between attempts ends none.
void count_attempts(execution& exec, ending end, std::optional<attempt_fault> fault)
{
    auto& row = exec.row;
    const bool failed = row.status != execution_status::success;
    if (failed && !exec.tries.no_other.empty())
        row.error += "; " + exec.tries.no_other;
    if (is_in_attempt(exec)) {
        end.error = row.error;
        end_attempt(exec.attempt(), end, failed ? fault.value_or(attempt_fault::program) : fault, *row.finished_at_ms);
    }
    if (failed && row.status != execution_status::cancelled)
        row.error += count_of_attempts(row);
}

}    // namespace

task<> execution_life::carry_out(execution_ptr exec)
{
    for (auto next = after::again; next == after::again;)
        next = co_await attempt(exec);
}

task<execution_life::after> execution_life::attempt(execution_ptr exec)
{
    if (exec->row.next_attempt_at_ms)
        co_await placement_.wait_for_next(exec);
    auto permit = co_await placement_.wait_for_turn(exec);
    if (!permit)
        co_return co_await leave_unadmitted(exec);
    exec->phase = run_phase::starting;
    if (!exec->row.attempts.empty())
        co_await fetch_spec(exec);
    exec->begin_attempt();
    auto making = without_exceptions(provider_.try_sandbox(exec, std::move(*permit)));
    const auto made = co_await std::move(making);
    if (made.has_value() && !exec->cancel_wanted()) {
        if (exec->spec.compile)
            exec->heard.unknown_to_agent = true;    // the compiler comes first
        else
            programs_.start_program(*exec);
        co_return co_await run_in_sandbox(exec);
    }
    std::optional<error> why;
    if (made.has_error())
        why = made.error();
    co_return co_await conclude_unstarted(exec, std::move(why));
}

task<execution_life::after> execution_life::run_in_sandbox(execution_ptr exec)
{
    auto facts = co_await programs_.run_to_end(exec);
    co_return co_await conclude(exec, std::move(facts));
}

task<execution_life::after> execution_life::conclude(execution_ptr exec, ending_facts facts)
{
    const count_guard ends(idle_gate_.busy());    // somebody waits for the record
    exec->phase = run_phase::ending;
    if (exec->current.lease.group)
        facts.group = exec->used();    // before the kill: what is measured is what the program used
    exec->current.disk_at_end = exec->sandbox() ? exec->sandbox()->disk() : std::nullopt;
    note_disk(facts.disk, exec->current.disk_at_end);
    co_await programs_.drain_streams(exec);
    facts.output_cut = exec->was_cut();
    facts.output_limit = facts.output_limit || (facts.output_cut && exec->spec.output_limit_action == on_output_limit::kill);
    program_stage::fill_usage(*exec, facts);
    auto end = decide_ending(facts, exec->row.limits);
    const auto fault = fault_of(end, facts);
    if (fault && is_in_attempt(*exec)) {
        facts.host_to_blame = facts.group.oom_outside || (facts.host_to_blame && facts.group.oom_kills == 0);
        const auto delay = delay_of_next(*exec, end, *fault, facts);
        if (delay) {
            co_await schedule(exec, std::move(end), *fault, *delay);
            co_return after::again;
        }
    }
    co_await collect_stage_.keep_files(exec);
    co_await record_end(exec, std::move(end), fault);
    idle_gate_.note_activity();
    disposal_.clean_up_after(exec);
    co_return after::end;
}

/// Stores the log and then the record with the end, or both at once. Viewers see the end when both are durable.
task<> execution_life::record_end(execution_ptr exec, ending end, std::optional<attempt_fault> fault)
{
    const auto problem = co_await collect_stage_.problem_of_output(exec);
    exec->log->end(output_stream::stdout_stream);
    exec->log->end(output_stream::stderr_stream);
    exec->row.stdout_truncated = exec->log->buffer().truncated(output_stream::stdout_stream);
    exec->row.stderr_truncated = exec->log->buffer().truncated(output_stream::stderr_stream);
    apply_ending(exec->row, end, use_.time.now_ms());
    collect_stage::judge_output(*exec, problem);
    collect_stage::mark_files(*exec);
    count_attempts(*exec, std::move(end), fault);
    execution_recorder::append_exit_event(*exec);
    exec->left.whole_log = exec->log->take_whole();
    if (!exec->left.whole_log && !exec->record.recorded)
        throw std::logic_error("the log of an execution that is not recorded is too long to be stored with its end");
    if (!exec->left.whole_log)
        co_await recorder_.store_log(exec);
    if (exec->heard.exited)
        exec->row.stages.collect_ms = ms_between(exec->heard.exited_at, use_.time.steady_now());
    co_await recorder_.store_end(exec);
}

/// Ends the attempt of a program that was not started: for `why`, or by a cancel. Not a coroutine.
task<execution_life::after> execution_life::conclude_unstarted(execution_ptr exec, std::optional<error> why)
{
    ending_facts facts;
    facts.cancelled = !why;
    if (why)
        note_failure(*exec, *why, facts);
    return conclude(std::move(exec), std::move(facts));
}

void execution_life::note_failure(execution& exec, const error& why, ending_facts& facts) const
{
    use_.log.warning("a sandbox could not be made",
        {{"execution_id", exec.row.id.str()}, {"runtime", exec.row.runtime}, {"attempt", exec.attempt().number}, {"what", why.detail}});
    const bool lacks_image =
        !exec.current.at_host && (why.code == errc::image_unavailable || (exec.current.image && exec.current.image->has_error()));
    const bool refuses_image = !exec.current.at_host && !lacks_image && why.code == errc::image_not_allowed;
    facts.fault = (lacks_image        ? "the image " + exec.spec.image + " could not be had: "
                      : refuses_image ? "the image " + exec.spec.image + " cannot be used: "
                                      : "the sandbox could not be started: ") +
                  why.detail;
    facts.host_fault = lacks_image || refuses_image          ? attempt_fault::image_pull
                       : exec.current.at_host && exec.link() ? attempt_fault::agent_unreachable
                                                             : attempt_fault::runtime_unavailable;
    facts.can_repeat = is_worth_another(why.code);
}

/// Ends an execution that got no place: it was cancelled, or it is too late for the attempt.
task<execution_life::after> execution_life::leave_unadmitted(execution_ptr exec)
{
    const auto outage = placement_.outage_of(*exec);
    if (!exec->cancel_wanted() && !exec->row.attempts.empty()) {
        exec->phase = run_phase::ending;
        const auto why = (outage.empty() ? "" : outage + "; ") + std::string(to_string(retry_verdict::no_time_left));
        co_await record_end(exec, ending_of(exec->attempt(), exec->row.limits_hit, why), std::nullopt);
        disposal_.clean_up_after(exec);
        co_return after::end;
    }
    ending_facts facts;
    facts.cancelled = exec->cancel_wanted();
    if (!facts.cancelled)
        facts.fault = "the sandbox could not be started: " + outage + "; it was waited for " +
                      std::to_string(placement::outage_patience.count()) + " minutes";
    co_return co_await conclude(exec, std::move(facts));
}

task<> execution_life::take_up(execution_ptr exec)
{
    queue_.enter_running(*exec);
    exec->current.taken_up = true;
    exec->heard.started_at = exec->heard.asked_at = use_.time.steady_now();
    exec->phase = run_phase::running;    // a server that stops may leave it to the next one at any moment
    const auto found = co_await provider_.find_sandbox_patiently(exec);
    if (found.has_value()) {
        const auto next = co_await go_on(exec);
        if (next == after::again)
            co_await carry_out(exec);
        co_return;
    }
    exec->heard.lost = found.error().detail;
    use_.log.warning("an execution is lost", {{"execution_id", exec->row.id.str()}, {"what", exec->heard.lost}});
    ending_facts facts;
    facts.cancelled = exec->cancel_wanted();
    facts.lost = exec->heard.lost;
    facts.host_to_blame = provider_.agent_was_taken(*exec);
    const auto next = co_await conclude(exec, std::move(facts));
    if (next == after::again)
        co_await carry_out(exec);
}

/// Asks the agent where the program stands, and watches the program from outside until the agent answers.
task<execution_life::after> execution_life::go_on(execution_ptr exec)
{
    exec->current.lease.home->resume();
    exec->listen(exec->resume_point());
    exec->heard.asked_at = use_.time.steady_now();
    exec->stdin_bytes.flush(*exec->link(), exec->number());
    provider_.keep_link(exec);
    provider_.keep_watch(exec);
    co_return co_await run_in_sandbox(exec);
}

task<> execution_life::finish(execution_ptr exec)
{
    exec->phase = run_phase::ending;
    exec->left.is_said = true;
    co_await collect_stage_.keep_files_again(exec);
    co_await recorder_.store_end(exec);
    if (exec->row.sandbox)
        disposal_.clean_up_after(exec);
}

task<> execution_life::break_off(execution_ptr exec, std::string what)
{
    use_.log.error("an execution broke down in the server", {{"execution_id", exec->row.id.str()}, {"what", what}});
    if (exec->phase < run_phase::ending) {
        auto concluding = without_exceptions(conclude_broken(exec));
        const auto concluded = co_await std::move(concluding);
        if (concluded.has_value())
            co_return;
    }
    if (is_final(exec->row.status) && exec->phase != run_phase::ended) {
        auto storing = without_exceptions(store_decided(exec));
        const auto stored = co_await std::move(storing);
        if (stored.has_value())
            co_return disposal_.clean_up_after(exec);
    }
    use_.log.error("its end could not be recorded; the next start of the server does it", {{"execution_id", exec->row.id.str()}});
    disposal_.clean_up_after(exec);
}

/// Ends the execution without words about what failed: the server's log has them.
task<result<void>> execution_life::conclude_broken(execution_ptr exec)
{
    ending_facts facts;
    facts.fault = "the server failed; its log says why";
    facts.can_repeat = false;
    const auto next = co_await conclude(exec, std::move(facts));
    static_cast<void>(next);    // the end
    co_return result<void>();
}

/// Stores the end that the row has already, with the files that were kept.
task<result<void>> execution_life::store_decided(execution_ptr exec)
{
    if (exec->heard.started && wants_files(exec->spec.collect) && !exec->row.collected)
        exec->row.collected.emplace().error = "its files could not be collected: the server failed";
    if (!exec->left.is_said)
        execution_recorder::append_exit_event(*exec);
    if (!exec->left.whole_log)
        co_await recorder_.store_log(exec);
    co_await recorder_.store_end(exec);
    co_return result<void>();
}

}    // namespace caisson
