#include "core/exec/runner.hpp"

#include "core/async/deadline.hpp"
#include "core/async/wait_until.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/base/count_guard.hpp"
#include "core/exec/attempts.hpp"
#include "core/exec/collect/collect_command.hpp"
#include "core/exec/record/record.hpp"

#include <csignal>
#include <stdexcept>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// Once every process of the execution is killed its streams end; an agent that does not say so is not waited for longer.
constexpr auto streams_grace = 10s;
constexpr int most_rounds = 60;
constexpr auto destroy_grace = 30s;
/// With a pool, a used sandbox in which nothing runs waits this long for idle time before it is removed, as long as those that wait or are
/// being removed are few and hold at most so many bytes together.
constexpr std::chrono::milliseconds longest_put_off = 500ms;
constexpr std::int64_t most_bytes_put_off = 256 << 20;

bool streams_ended_or_lost(const execution& one) { return one.streams_ended() || !one.heard.lost.empty(); }

bool is_in_attempt(const execution& one) { return !one.row.attempts.empty() && !one.row.attempts.back().ended_at_ms; }

/// The last attempt ends as the execution does, whose error then counts them. A cancel while none ran ends none.
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

task<runner::after> runner::conclude(live_ptr one, ending_facts facts)
{
    const count_guard ends(idle_gate_.busy());    // somebody waits for the record
    one->phase = run_phase::ending;
    if (one->now.group)
        facts.group = one->used();    // before the kill: what is measured is what the program used
    one->now.disk_at_end = one->sandbox() ? one->sandbox()->disk() : std::nullopt;
    note_disk(facts.disk, one->now.disk_at_end);
    co_await drain_streams(one);
    facts.output_cut = one->was_cut();
    facts.output_limit = facts.output_limit || (facts.output_cut && one->spec.output_limit_action == on_output_limit::kill);
    fill_usage(*one, facts);
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
    co_await keep_files(one);
    co_await record_end(one, std::move(end), fault);
    idle_gate_.note_activity();
    clean_up_after(one);
    co_return after::end;
}

/// The end is in the record: the agent need not keep it.
void runner::release_agent(execution& one)
{
    if (!one.link())
        return;
    one.link()->forget(only_execution);
    one.link()->shutdown();
}

void runner::clean_up_after(live_ptr one) { clean_up(one, "clean-up after ", dispose(one)); }

void runner::clean_up(const live_ptr& one, std::string_view what, task<> work)
{
    leaving_.insert(one);
    cleanup_.spawn(std::string(what) + one->row.id.str(), std::move(work));
}

/// Nothing is left in a sandbox that keeps programs in their group.
bool runner::is_surely_over(const execution& one) const
{
    const auto where = use_.runtimes.find(one.row.runtime);
    return where != use_.runtimes.end() && where->second->isolates() && one.heard.exited && one.streams_ended() && one.now.group &&
           one.now.group->is_surely_empty();
}

/// In a fresh sandbox what the leader left behind ends with it; then both streams are at their end. Where nothing is left the agent is not
/// woken for that.
task<> runner::drain_streams(live_ptr one)
{
    if (is_surely_over(*one))
        co_return;
    if (one->now.group)
        one->now.group->kill();
    if (one->heard.exited) {
        keep_watch(one);
        one->link()->signal(only_execution, SIGKILL, protocol::agent_link::target::sandbox);
        co_await hear_streams_out(one);
    }
    if (one->sandbox())    // what was left may have written
        one->now.disk_at_end = one->sandbox()->disk();
}

/// As long as bytes come, or what came is not stored and the agent's windows may be full of more, this is not a lack of answer.
task<> runner::hear_streams_out(live_ptr one)
{
    const auto& buffer = one->log->buffer();
    const auto since = use_.time.steady_now();
    for (int rounds = 0; rounds < most_rounds; rounds += buffer.has_unstored() ? 0 : 1) {
        if (buffer.has_unstored() && use_.time.steady_now() >= since + place_grace)
            give_place_up(*one);
        const auto before = buffer.received(output_stream::stdout_stream) + buffer.received(output_stream::stderr_stream);
        auto streams = wait_until(one, &streams_ended_or_lost);
        const auto ended = co_await with_deadline(use_.time, use_.time.steady_now() + streams_grace, std::move(streams));
        if (ended.has_value())
            co_return;
        const auto now = buffer.received(output_stream::stdout_stream) + buffer.received(output_stream::stderr_stream);
        if (now == before && !buffer.has_unstored())
            break;
    }
    use_.log.warning("the agent did not end the streams in time", {{"execution_id", one->row.id.str()}});
}

void runner::fill_usage(execution& one, const ending_facts& facts) const
{
    auto& usage = one.row.usage;
    const auto& buffer = one.log->buffer();
    usage.output_bytes =
        static_cast<std::int64_t>(buffer.received(output_stream::stdout_stream) + buffer.received(output_stream::stderr_stream));
    usage.memory_peak_bytes = facts.group.memory_peak_bytes;
    usage.pids_peak = facts.group.pids_peak;
    if (facts.group.cpu_us)
        usage.cpu_ms = rounded_ms(*facts.group.cpu_us);
    if (one.heard.exited) {
        usage.wall_ms = rounded_ms(static_cast<std::int64_t>(one.heard.exited->wall_us));
        if (!usage.cpu_ms)
            usage.cpu_ms = rounded_ms(static_cast<std::int64_t>(one.heard.exited->user_us + one.heard.exited->system_us));
        if (!usage.memory_peak_bytes && one.heard.exited->max_rss_bytes > 0)
            usage.memory_peak_bytes = static_cast<std::int64_t>(one.heard.exited->max_rss_bytes);
        one.row.stages.run_ms = static_cast<double>(one.heard.exited->wall_us) / 1000.0;
    }
    if (one.heard.started && !one.now.taken_up && one.heard.first_byte_at && *one.heard.first_byte_at >= one.heard.started_at)
        one.row.stages.first_byte_ms = std::chrono::duration<double, std::milli>(*one.heard.first_byte_at - one.heard.started_at).count();
}

/// The log first, then the record that names its end, or both at once; viewers see the end when both are durable.
task<> runner::record_end(live_ptr one, ending end, std::optional<attempt_fault> fault)
{
    const auto problem = co_await problem_of_output(one);
    one->log->end(output_stream::stdout_stream);
    one->log->end(output_stream::stderr_stream);
    one->row.stdout_truncated = one->log->buffer().truncated(output_stream::stdout_stream);
    one->row.stderr_truncated = one->log->buffer().truncated(output_stream::stderr_stream);
    apply_ending(one->row, end, use_.time.now_ms());
    judge_output(*one, problem);
    mark_files(*one);
    count_attempts(*one, std::move(end), fault);
    append_exit_event(*one);
    one->left.whole_log = one->log->take_whole();
    if (!one->left.whole_log && !one->record.recorded)
        throw std::logic_error("the log of an execution that is not recorded is too long to be stored with its end");
    if (!one->left.whole_log)
        co_await store_log(one);
    if (one->heard.exited)
        one->row.stages.collect_ms = std::chrono::duration<double, std::milli>(use_.time.steady_now() - one->heard.exited_at).count();
    co_await store_end(one);
}

/// Until all of it is stored.
task<> runner::store_log(live_ptr one)
{
    auto flushing = one->log->flushed();
    const auto stored = co_await with_deadline(use_.time, use_.time.steady_now() + place_grace, std::move(flushing));
    if (stored.has_value())
        co_return;
    give_place_up(*one);
    co_await one->log->flushed();
}

/// A tenant whose events find no room on the disk keeps others from running no longer than this; nothing of it is lost.
void runner::give_place_up(execution& one)
{
    if (queue_.step_out(one, one.log->buffer().unstored_bytes()))
        use_.log.warning("an execution has ended and cannot be stored: others have its place", {{"execution_id", one.row.id.str()}});
}

void runner::append_exit_event(execution& one)
{
    one.left.is_said = true;
    one.log->withhold_exit();
    one.log->control(event_kind::usage, usage_body(one.row.usage));
    one.log->control(event_kind::exit, exit_body(one.row, one.left.artifacts));
}

task<> runner::break_off(live_ptr one, std::string what)
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
            co_return clean_up_after(one);
    }
    use_.log.error("its end could not be recorded; the next start of the server does it", {{"execution_id", one->row.id.str()}});
    clean_up_after(one);
}

/// What failed is for the server's log only.
task<result<void>> runner::conclude_broken(live_ptr one)
{
    ending_facts facts;
    facts.fault = "the server failed; its log says why";
    facts.can_repeat = false;
    const auto next = co_await conclude(one, std::move(facts));
    static_cast<void>(next);    // the end
    co_return result<void>();
}

/// Whatever failed since: what the row says is stored, with the files that were kept.
task<result<void>> runner::store_decided(live_ptr one)
{
    if (one->heard.started && wants_files(one->spec.collect) && !one->row.collected)
        one->row.collected.emplace().error = "its files could not be collected: the server failed";
    if (!one->left.is_said)
        append_exit_event(*one);
    if (!one->left.whole_log)
        co_await store_log(one);
    co_await store_end(one);
    co_return result<void>();
}

task<> runner::finish(live_ptr one)
{
    one->phase = run_phase::ending;
    one->left.is_said = true;
    co_await keep_files_again(one);
    co_await store_end(one);
    if (one->row.sandbox)
        clean_up_after(one);
}

/// Of an earlier server's sandbox that was not needed so far.
task<> runner::recover_for_removal(live_ptr one)
{
    if (one->sandbox() || one->now.sandbox_gone || !one->row.sandbox)
        co_return;
    auto recovering = without_exceptions(recover_sandbox(one));
    const auto recovered = co_await std::move(recovering);
    if (recovered.has_error())
        one->heard.lost = recovered.error().detail;
}

task<> runner::end_sandbox(live_ptr one, std::string cause)
{
    co_await recover_for_removal(one);
    auto removing = without_exceptions(remove_sandbox(one, std::move(cause)));
    const auto removed = co_await std::move(removing);
    if (removed.has_error())
        use_.log.error("a sandbox could not be removed; the next sweep tries again",
            {{"execution_id", one->row.id.str()}, {"what", removed.error().detail}});
    if (one->now.home)
        co_await one->now.home->close();
    one->now.hold.reset();
    one->now.at_end.reset();
    one->stop_listening();
    one->now.compilers.clear();
    one->now.group.reset();
    one->now.home.reset();
    if (removed.has_error())
        sweeps_.soon();    // nobody holds it now
}

/// What a used sandbox holds at most until it is gone: files, and what outlives its processes, such as shared memory. Nothing: it is not
/// known, or something runs in it.
std::optional<std::int64_t> runner::held_by(const execution& one)
{
    const auto peak = one.row.usage.memory_peak_bytes;
    if (!one.now.disk_at_end || !peak || !one.heard.exited || !one.streams_ended())
        return std::nullopt;
    return one.now.disk_at_end->bytes_used + *peak;
}

/// Whoever waited for the end was woken just now, and answers in a few turns of this thread: killing what is left takes longer.
task<> runner::let_answers_go()
{
    constexpr int turns = 12;
    for (int turn = 0; turn < turns; ++turn)
        co_await asio::post(use_.executor, use_task);
}

/// Removes the sandbox and only then lets the next execution have the place, which an end that is put off gives back before.
task<> runner::dispose(live_ptr one)
{
    std::optional<count_guard<std::size_t>> counted;
    std::optional<count_guard<std::int64_t>> held;
    const auto bytes = use_.pool && put_off_ < use_.pool->most_put_off ? held_by(*one) : std::nullopt;
    if (bytes && put_off_bytes_ + *bytes <= most_bytes_put_off) {
        counted.emplace(put_off_);
        held.emplace(put_off_bytes_, *bytes);
        queue_.leave(*one);
        co_await idle_gate_.wait(idle_gate::work::removing, longest_put_off);
    } else {
        co_await let_answers_go();
    }
    release_agent(*one);
    co_await end_sandbox(one, "its execution ended: " + std::string(to_string(one->row.verdict.value_or(verdict::lost))));
    co_await one->background.stop();
    queue_.leave(*one);
    leaving_.erase(one);
}

task<result<void>> runner::remove_sandbox(live_ptr one, std::string cause)
{
    auto state = sandbox_state::lost;
    if (one->sandbox()) {
        auto destruction = one->sandbox()->destroy();
        auto destroyed = co_await with_deadline(use_.time, use_.time.steady_now() + destroy_grace, std::move(destruction));
        if (destroyed.has_error())
            co_return destroyed;
        state = sandbox_state::destroyed;
    } else {
        cause = one->heard.lost;
    }
    if (!one->row.sandbox || !one->record.sandbox_recorded)
        co_return result<void>();
    if (!one->sandbox() && !one->now.sandbox_gone)
        co_return error{errc::runtime_unavailable, one->heard.lost};
    co_return co_await use_.sandboxes.update(*one->row.sandbox, state, "", std::move(cause), use_.time.now_ms());
}

}    // namespace caisson
