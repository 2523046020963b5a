#include "core/exec/execution_life.hpp"

#include "core/async/without_exceptions.hpp"
#include "core/base/count_guard.hpp"
#include "core/exec/attempts.hpp"
#include "core/exec/collect/collect_command.hpp"
#include "core/exec/elapsed.hpp"
#include "core/exec/record/record.hpp"

#include <stdexcept>

namespace caisson {

namespace {

bool is_in_attempt(const execution& one) { return !one.row.attempts.empty() && !one.row.attempts.back().ended_at_ms; }

/// Ends the last attempt as the execution ended, and says in the error how many there were. A cancel between attempts ends none.
void count_attempts(execution& one, ending end, std::optional<attempt_fault> fault)
{
    auto& row = one.row;
    const bool failed = row.status != execution_status::success;
    if (failed && !one.tries.no_other.empty())
        row.error += "; " + one.tries.no_other;
    if (is_in_attempt(one)) {
        end.error = row.error;
        end_attempt(one.attempt(), end, failed ? fault.value_or(attempt_fault::program) : fault, *row.finished_at_ms);
    }
    if (failed && row.status != execution_status::cancelled)
        row.error += count_of_attempts(row);
}

}    // namespace

task<> execution_life::carry_out(execution_ptr one)
{
    for (auto next = after::again; next == after::again;)
        next = co_await attempt(one);
}

task<execution_life::after> execution_life::attempt(execution_ptr one)
{
    if (one->row.next_attempt_at_ms)
        co_await placement_.wait_for_next(one);
    auto permit = co_await placement_.wait_for_turn(one);
    if (!permit)
        co_return co_await leave_unadmitted(one);
    one->phase = run_phase::starting;
    if (!one->row.attempts.empty())
        co_await fetch_spec(one);
    one->begin_attempt();
    auto making = without_exceptions(sandboxes_.try_sandbox(one, std::move(*permit)));
    const auto made = co_await std::move(making);
    if (made.has_value() && !one->cancel_wanted()) {
        if (one->spec.compile)
            one->heard.unknown_to_agent = true;    // the compiler comes first
        else
            programs_.start_program(*one);
        co_return co_await run_in_sandbox(one);
    }
    std::optional<error> why;
    if (made.has_error())
        why = made.error();
    co_return co_await conclude_unstarted(one, std::move(why));
}

task<execution_life::after> execution_life::run_in_sandbox(execution_ptr one)
{
    auto facts = co_await programs_.run_to_end(one);
    co_return co_await conclude(one, std::move(facts));
}

task<execution_life::after> execution_life::conclude(execution_ptr one, ending_facts facts)
{
    const count_guard ends(idle_gate_.busy());    // somebody waits for the record
    one->phase = run_phase::ending;
    if (one->current.group)
        facts.group = one->used();    // before the kill: what is measured is what the program used
    one->current.disk_at_end = one->sandbox() ? one->sandbox()->disk() : std::nullopt;
    note_disk(facts.disk, one->current.disk_at_end);
    co_await programs_.drain_streams(one);
    facts.output_cut = one->was_cut();
    facts.output_limit = facts.output_limit || (facts.output_cut && one->spec.output_limit_action == on_output_limit::kill);
    program_stage::fill_usage(*one, facts);
    auto end = decide_ending(facts, one->row.limits);
    const auto fault = fault_of(end, facts);
    if (fault && is_in_attempt(*one)) {
        facts.host_to_blame = facts.group.oom_outside || (facts.host_to_blame && facts.group.oom_kills == 0);
        const auto delay = delay_of_next(*one, end, *fault, facts);
        if (delay) {
            co_await schedule(one, std::move(end), *fault, *delay);
            co_return after::again;
        }
    }
    co_await collect_stage_.keep_files(one);
    co_await record_end(one, std::move(end), fault);
    idle_gate_.note_activity();
    disposal_.clean_up_after(one);
    co_return after::end;
}

/// Stores the log and then the record with the end, or both at once. Viewers see the end when both are durable.
task<> execution_life::record_end(execution_ptr one, ending end, std::optional<attempt_fault> fault)
{
    const auto problem = co_await collect_stage_.problem_of_output(one);
    one->log->end(output_stream::stdout_stream);
    one->log->end(output_stream::stderr_stream);
    one->row.stdout_truncated = one->log->buffer().truncated(output_stream::stdout_stream);
    one->row.stderr_truncated = one->log->buffer().truncated(output_stream::stderr_stream);
    apply_ending(one->row, end, use_.time.now_ms());
    collect_stage::judge_output(*one, problem);
    collect_stage::mark_files(*one);
    count_attempts(*one, std::move(end), fault);
    execution_recorder::append_exit_event(*one);
    one->left.whole_log = one->log->take_whole();
    if (!one->left.whole_log && !one->record.recorded)
        throw std::logic_error("the log of an execution that is not recorded is too long to be stored with its end");
    if (!one->left.whole_log)
        co_await recorder_.store_log(one);
    if (one->heard.exited)
        one->row.stages.collect_ms = ms_between(one->heard.exited_at, use_.time.steady_now());
    co_await recorder_.store_end(one);
}

/// Ends the attempt of a program that was not started: for `why`, or by a cancel. Not a coroutine.
task<execution_life::after> execution_life::conclude_unstarted(execution_ptr one, std::optional<error> why)
{
    ending_facts facts;
    facts.cancelled = !why;
    if (why)
        note_failure(*one, *why, facts);
    return conclude(std::move(one), std::move(facts));
}

void execution_life::note_failure(execution& one, const error& why, ending_facts& facts) const
{
    use_.log.warning("a sandbox could not be made",
        {{"execution_id", one.row.id.str()}, {"runtime", one.row.runtime}, {"attempt", one.attempt().number}, {"what", why.detail}});
    const bool lacks_image =
        !one.current.at_host && (why.code == errc::image_unavailable || (one.current.image && one.current.image->has_error()));
    const bool refuses_image = !one.current.at_host && !lacks_image && why.code == errc::image_not_allowed;
    facts.fault = (lacks_image        ? "the image " + one.spec.image + " could not be had: "
                      : refuses_image ? "the image " + one.spec.image + " cannot be used: "
                                      : "the sandbox could not be started: ") +
                  why.detail;
    facts.host_fault = lacks_image || refuses_image        ? attempt_fault::image_pull
                       : one.current.at_host && one.link() ? attempt_fault::agent_unreachable
                                                           : attempt_fault::runtime_unavailable;
    facts.can_repeat = is_worth_another(why.code);
}

/// Ends an execution that got no place: it was cancelled, or it is too late for the attempt.
task<execution_life::after> execution_life::leave_unadmitted(execution_ptr one)
{
    const auto outage = placement_.outage_of(*one);
    if (!one->cancel_wanted() && !one->row.attempts.empty()) {
        one->phase = run_phase::ending;
        const auto why = (outage.empty() ? "" : outage + "; ") + std::string(to_string(retry_verdict::no_time_left));
        co_await record_end(one, ending_of(one->attempt(), one->row.limits_hit, why), std::nullopt);
        disposal_.clean_up_after(one);
        co_return after::end;
    }
    ending_facts facts;
    facts.cancelled = one->cancel_wanted();
    if (!facts.cancelled)
        facts.fault = "the sandbox could not be started: " + outage + "; it was waited for " +
                      std::to_string(placement::outage_patience.count()) + " minutes";
    co_return co_await conclude(one, std::move(facts));
}

task<> execution_life::take_up(execution_ptr one)
{
    queue_.enter_running(*one);
    one->current.taken_up = true;
    one->heard.started_at = one->heard.asked_at = use_.time.steady_now();
    one->phase = run_phase::running;    // a server that stops may leave it to the next one at any moment
    const auto found = co_await sandboxes_.find_sandbox_patiently(one);
    if (found.has_value()) {
        const auto next = co_await go_on(one);
        if (next == after::again)
            co_await carry_out(one);
        co_return;
    }
    one->heard.lost = found.error().detail;
    use_.log.warning("an execution is lost", {{"execution_id", one->row.id.str()}, {"what", one->heard.lost}});
    ending_facts facts;
    facts.cancelled = one->cancel_wanted();
    facts.lost = one->heard.lost;
    facts.host_to_blame = sandboxes_.agent_was_taken(*one);
    const auto next = co_await conclude(one, std::move(facts));
    if (next == after::again)
        co_await carry_out(one);
}

/// Asks the agent where the program stands, and watches the program from outside until the agent answers.
task<execution_life::after> execution_life::go_on(execution_ptr one)
{
    one->current.home->resume();
    one->listen(one->resume_point());
    one->heard.asked_at = use_.time.steady_now();
    one->stdin_bytes.flush(*one->link(), only_execution);
    sandboxes_.keep_link(one);
    sandboxes_.keep_watch(one);
    co_return co_await run_in_sandbox(one);
}

task<> execution_life::finish(execution_ptr one)
{
    one->phase = run_phase::ending;
    one->left.is_said = true;
    co_await collect_stage_.keep_files_again(one);
    co_await recorder_.store_end(one);
    if (one->row.sandbox)
        disposal_.clean_up_after(one);
}

task<> execution_life::break_off(execution_ptr one, std::string what)
{
    use_.log.error("an execution broke down in the server", {{"execution_id", one->row.id.str()}, {"what", what}});
    if (one->phase < run_phase::ending) {
        auto concluding = without_exceptions(conclude_broken(one));
        const auto concluded = co_await std::move(concluding);
        if (concluded.has_value())
            co_return;
    }
    if (is_final(one->row.status) && one->phase != run_phase::ended) {
        auto storing = without_exceptions(store_decided(one));
        const auto stored = co_await std::move(storing);
        if (stored.has_value())
            co_return disposal_.clean_up_after(one);
    }
    use_.log.error("its end could not be recorded; the next start of the server does it", {{"execution_id", one->row.id.str()}});
    disposal_.clean_up_after(one);
}

/// Ends the execution without words about what failed: the server's log has them.
task<result<void>> execution_life::conclude_broken(execution_ptr one)
{
    ending_facts facts;
    facts.fault = "the server failed; its log says why";
    facts.can_repeat = false;
    const auto next = co_await conclude(one, std::move(facts));
    static_cast<void>(next);    // the end
    co_return result<void>();
}

/// Stores the end that the row has already, with the files that were kept.
task<result<void>> execution_life::store_decided(execution_ptr one)
{
    if (one->heard.started && wants_files(one->spec.collect) && !one->row.collected)
        one->row.collected.emplace().error = "its files could not be collected: the server failed";
    if (!one->left.is_said)
        execution_recorder::append_exit_event(*one);
    if (!one->left.whole_log)
        co_await recorder_.store_log(one);
    co_await recorder_.store_end(one);
    co_return result<void>();
}

}    // namespace caisson
