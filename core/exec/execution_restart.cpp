#include "core/exec/execution_restart.hpp"

#include "core/async/without_exceptions.hpp"
#include "core/exec/attempts.hpp"
#include "core/exec/record/record.hpp"

#include <algorithm>
#include <chrono>

namespace caisson {

namespace {

constexpr std::size_t take_up_page = 64;
constexpr std::chrono::milliseconds first_take_up_pause(100);
constexpr std::chrono::milliseconds longest_take_up_pause(5000);

/// Restores where an execution stands, as an earlier server recorded it.
void restore_attempts(execution& exec, const timers& time)
{
    auto& row = exec.row;
    if (row.sandbox && row.attempts.empty()) {    // recorded by an earlier release
        auto& first = row.attempts.emplace_back();
        first.started_at_ms = row.started_at_ms.value_or(row.created_at_ms);
        first.sandbox = row.sandbox;
    }
    if (row.attempts.empty())
        return;
    using std::chrono::milliseconds;
    const auto now_ms = time.now_ms();
    // A stop of the server, or a clock that was set, takes at most the delay from the deadline over all attempts.
    const auto spent_until = std::min(now_ms, row.next_attempt_at_ms.value_or(now_ms));
    exec.tries.first_began = time.steady_now() - milliseconds(std::max<std::int64_t>(spent_until - row.attempts.front().started_at_ms, 0));
    if (row.next_attempt_at_ms) {    // the clock may have been set: never longer than the delay
        const auto left_ms = std::clamp<std::int64_t>(*row.next_attempt_at_ms - now_ms, 0, exec.attempt().delay_ms.value_or(0));
        exec.tries.next_at = time.steady_now() + milliseconds(left_ms);
        exec.spec.files.clear();    // fetch_spec() fetches them again
    }
    if (row.sandbox) {
        exec.continue_attempt();
        exec.spec.limits.wall_ms = wall_left_of_record(row).count();
    }
}

}    // namespace

task<result<void>> execution_restart::start()
{
    auto kept = co_await use_.stores.executions.kept_bytes();
    if (kept.has_error())
        co_return kept.error();
    for (const auto& [tenant, bytes] : *kept) {
        kept_.add(tenant, bytes);
        if (const auto more = kept_.check(tenant); more.has_error())
            use_.log.warning("executions of a tenant are refused", {{"tenant_id", tenant.str()}, {"what", more.error().detail}});
    }
    queue_.hold();    // turns are fair among all that waits
    auto swept = co_await sweeper_.start();
    if (swept.has_error())
        co_return swept.error();
    for (execution_id last;;) {
        auto page = co_await use_.stores.executions.unfinished(last, take_up_page);
        if (page.has_error())
            co_return page.error();
        if (page->empty()) {
            queue_.release();
            co_return result<void>();
        }
        last = page->back().row.id;
        co_await take_up_all(std::move(*page));
    }
}

task<> execution_restart::take_up_all(std::vector<unfinished_execution> left)
{
    for (auto& each : left) {
        auto shared = std::make_shared<unfinished_execution>(std::move(each));
        auto attempt = without_exceptions(take_up(shared));
        const auto done = co_await std::move(attempt);
        if (done.has_error())
            live_.run_later("late take-up of " + shared->row.id.str(), take_up_later(shared, done.error().detail));
    }
}

/// Tries again until the execution's log can be read: no accepted execution is left alone.
task<> execution_restart::take_up_later(std::shared_ptr<unfinished_execution> left, std::string why)
{
    const auto id = left->row.id;
    for (auto pause = first_take_up_pause;; pause = std::min(pause * 2, longest_take_up_pause)) {
        use_.log.error("an execution cannot be taken up; trying again", {{"execution_id", id.str()}, {"what", why}});
        co_await use_.time.wait_for(pause);
        auto asking = without_exceptions(use_.stores.executions.find(left->row.tenant, id));
        auto row = co_await std::move(asking);
        if (row.has_error() ? row.error().code == errc::not_found : is_final(row->status))
            co_return;
        if (row.has_value())
            left->row = std::move(*row);    // a cancel may have been asked for meanwhile
        auto attempt = without_exceptions(take_up(left));
        const auto done = co_await std::move(attempt);
        if (done.has_value())
            co_return;
        why = done.error().detail;
    }
}

/// Reads the last state event.
task<result<state_said>> execution_restart::last_state(std::shared_ptr<unfinished_execution> left, log_position end)
{
    state_said said{end.control == 0 ? "" : std::string(to_string(execution_status::queued)), 1};
    if (end.control <= 1)
        co_return said;
    auto before = end;
    before.control = 0;    // all control events, no output
    const auto read = co_await use_.stores.events.read(left->row.id, before, 1);
    if (read.has_error())
        co_return read.error();
    for (const auto& event : *read)
        if (event->kind == event_kind::state)
            said = read_state_body(event->body);
    co_return said;
}

/// Errors: what the stores say; `left` is whole then.
task<result<void>> execution_restart::take_up(std::shared_ptr<unfinished_execution> left)
{
    auto extent = co_await use_.stores.events.extent(left->row.id);
    if (extent.has_error())
        co_return extent.error();
    if (extent->has_exit)
        co_return co_await finish_from_log(left, std::move(*extent));
    const auto said = co_await last_state(left, extent->end);
    if (said.has_error())
        co_return said.error();
    const bool in_sandbox = left->row.sandbox.has_value();
    auto exec = live_.make(std::move(left->row), std::move(left->spec), std::move(*extent));
    restore_attempts(*exec, use_.time);
    if (said->status.empty()) {    // also of one that ran before it was recorded
        auto first = exec->row;
        first.status = execution_status::queued;
        exec->log->control(event_kind::state, state_body(first));
    }
    if (exec->row.next_attempt_at_ms && said->attempt <= exec->attempt().number)    // its server ended before it could say so
        exec->log->control(event_kind::state, next_attempt_body(exec->row));
    if (in_sandbox) {
        const bool of_this_attempt = said->attempt == exec->attempt().number;
        exec->heard.started = of_this_attempt && said->status == to_string(execution_status::running);
        if (!exec->heard.started)
            exec->row.status = execution_status::queued;
        if (!of_this_attempt)    // two servers ended before they could say so
            exec->log->control(event_kind::state, state_body(exec->row));
    }
    if (in_sandbox)
        exec->stdin_bytes.forget_earlier();
    live_.launch(exec, in_sandbox, std::chrono::milliseconds(0));
    co_return result<void>();
}

/// Finishes an execution whose end is in the log and not in its record.
task<result<void>> execution_restart::finish_from_log(std::shared_ptr<unfinished_execution> left, log_extent extent)
{
    auto before = extent.end;
    before.control = 0;    // all control events, no output
    const auto read = co_await use_.stores.events.read(left->row.id, before, 1);
    if (read.has_error())
        co_return read.error();
    auto& row = left->row;
    row.stdout_truncated = extent.stdout_truncated;
    row.stderr_truncated = extent.stderr_truncated;
    try {
        for (const auto& event : *read)
            if (event->kind == event_kind::exit)
                apply_exit_body(row, event->body, event->at_ms);
    } catch (const std::exception& e) {
        use_.log.error("an execution's end cannot be read", {{"execution_id", row.id.str()}, {"what", e.what()}});
    }
    if (!is_final(row.status)) {
        ending unknown;
        unknown.status = execution_status::interrupted;
        unknown.verdict = verdict::lost;
        unknown.error = "the end of the program is in the log and cannot be read";
        apply_ending(row, unknown, use_.time.now_ms());
    }
    if (!row.attempts.empty() && !row.attempts.back().ended_at_ms)
        end_attempt(row.attempts.back(), {row.status, *row.verdict, row.limits_hit, row.exit_code, row.signal, row.error},
            fault_of_record(row), *row.finished_at_ms);
    auto exec = live_.make(std::move(row), std::move(left->spec), std::move(extent));
    live_.run(exec, "end of " + exec->row.id.str(), live_.to_its_end(exec, life_.finish(exec)));    // files and a full disk take their time
    co_return result<void>();
}

}    // namespace caisson
