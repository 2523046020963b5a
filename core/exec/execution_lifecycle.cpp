// The begin and the end of an execution_service: taking up what an earlier server left, and leaving it to the next.

#include "core/async/deadline.hpp"
#include "core/exec/attempts.hpp"
#include "core/exec/execution_service.hpp"
#include "core/exec/record/record.hpp"
#include "core/exec/retry_until_answered.hpp"

namespace caisson {

namespace {

constexpr std::size_t take_up_page = 64;
constexpr std::chrono::milliseconds first_take_up_pause(100);
constexpr std::chrono::milliseconds longest_take_up_pause(5000);
/// What is stopped ends within this, but for what waits for a disk that does not answer.
constexpr std::chrono::seconds stop_grace(5);
constexpr std::chrono::milliseconds look_at_ends_every(20);
/// Executions that a server ends are cancelled so many at a time: the removal of each sandbox has a deadline.
constexpr std::size_t most_ended_at_once = 64;
constexpr std::chrono::milliseconds soon_at_its_end(200);

}    // namespace

task<result<void>> execution_service::start()
{
    auto kept = co_await use_.executions.kept_bytes();
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
        auto page = co_await use_.executions.unfinished(last, take_up_page);
        if (page.has_error())
            co_return page.error();
        if (page->empty()) {
            queue_.release();
            pool_.start();
            co_return result<void>();
        }
        last = page->back().row.id;
        co_await take_up_all(std::move(*page));
    }
}

task<> execution_service::take_up_all(std::vector<unfinished_execution> left)
{
    for (auto& each : left) {
        auto shared = std::make_shared<unfinished_execution>(std::move(each));
        auto attempt = without_exceptions(take_up(shared));
        const auto done = co_await std::move(attempt);
        if (done.has_error())
            runs_.spawn("late take-up of " + shared->row.id.str(), take_up_later(shared, done.error().detail));
    }
}

/// An accepted execution is not left alone because its log could not be read once.
task<> execution_service::take_up_later(std::shared_ptr<unfinished_execution> left, std::string why)
{
    const auto id = left->row.id;
    for (auto pause = first_take_up_pause;; pause = std::min(pause * 2, longest_take_up_pause)) {
        use_.log.error("an execution cannot be taken up; trying again", {{"execution_id", id.str()}, {"what", why}});
        co_await use_.time.wait_for(pause);
        auto asking = without_exceptions(use_.executions.find(left->row.tenant, id));
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

namespace {

/// Where an execution stands, as an earlier server recorded it.
void restore_attempts(execution& one, const timers& time)
{
    auto& row = one.row;
    if (row.sandbox && row.attempts.empty()) {    // recorded by an earlier release
        auto& first = row.attempts.emplace_back();
        first.started_at_ms = row.started_at_ms.value_or(row.created_at_ms);
        first.sandbox = row.sandbox;
    }
    if (row.attempts.empty())
        return;
    using std::chrono::milliseconds;
    const auto now_ms = time.now_ms();
    // Of the deadline over all attempts a stop of the server, or a clock that was set meanwhile, takes the delay at most.
    const auto spent_until = std::min(now_ms, row.next_attempt_at_ms.value_or(now_ms));
    one.tries.first_began = time.steady_now() - milliseconds(std::max<std::int64_t>(spent_until - row.attempts.front().started_at_ms, 0));
    if (row.next_attempt_at_ms) {    // the clock may have been set: never longer than the delay
        const auto left_ms = std::clamp<std::int64_t>(*row.next_attempt_at_ms - now_ms, 0, one.attempt().delay_ms.value_or(0));
        one.tries.next_at = time.steady_now() + milliseconds(left_ms);
        one.spec.files.clear();    // fetched again when they are needed
    }
    if (row.sandbox) {
        one.continue_attempt();
        one.spec.limits.wall_ms = wall_left_of_record(row).count();
    }
}

}    // namespace

/// What the last state event says.
task<result<state_said>> execution_service::last_state(std::shared_ptr<unfinished_execution> left, log_position end)
{
    state_said said{end.control == 0 ? "" : std::string(to_string(execution_status::queued)), 1};
    if (end.control <= 1)
        co_return said;
    auto before = end;
    before.control = 0;    // all control events, no output
    const auto read = co_await use_.events.read(left->row.id, before, 1);
    if (read.has_error())
        co_return read.error();
    for (const auto& event : *read)
        if (event->kind == event_kind::state)
            said = read_state_body(event->body);
    co_return said;
}

/// Errors: what the stores say; `left` is whole then.
task<result<void>> execution_service::take_up(std::shared_ptr<unfinished_execution> left)
{
    auto extent = co_await use_.events.extent(left->row.id);
    if (extent.has_error())
        co_return extent.error();
    if (extent->has_exit)
        co_return co_await finish_from_log(left, std::move(*extent));
    const auto said = co_await last_state(left, extent->end);
    if (said.has_error())
        co_return said.error();
    const bool in_sandbox = left->row.sandbox.has_value();
    auto one = make_live(std::move(left->row), std::move(left->spec), std::move(*extent));
    restore_attempts(*one, use_.time);
    if (said->status.empty()) {    // also of one that ran before it was recorded
        auto first = one->row;
        first.status = execution_status::queued;
        one->log->control(event_kind::state, state_body(first));
    }
    if (one->row.next_attempt_at_ms && said->attempt <= one->attempt().number)    // its server ended before it could say so
        one->log->control(event_kind::state, next_attempt_body(one->row));
    if (in_sandbox) {
        const bool of_this_attempt = said->attempt == one->attempt().number;
        one->heard.started = of_this_attempt && said->status == to_string(execution_status::running);
        if (!one->heard.started)
            one->row.status = execution_status::queued;
        if (!of_this_attempt)    // two servers ended before they could say so
            one->log->control(event_kind::state, state_body(one->row));
    }
    if (in_sandbox)
        one->stdin_bytes.forget_earlier();
    launch(one, in_sandbox, std::chrono::milliseconds(0));
    co_return result<void>();
}

/// Its end is in the log, its record was not written any more.
task<result<void>> execution_service::finish_from_log(std::shared_ptr<unfinished_execution> left, log_extent extent)
{
    auto before = extent.end;
    before.control = 0;    // all control events, no output
    const auto read = co_await use_.events.read(left->row.id, before, 1);
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
    auto one = make_live(std::move(row), std::move(left->spec), std::move(extent));
    live_.emplace(one->row.id, one);    // files and a full disk take their time
    runs_.spawn("end of " + one->row.id.str(), carry_out(one, life_.finish(one)));
    co_return result<void>();
}

void execution_service::stop_accepting()
{
    stopping_ = true;
    pool_.close();
    stock_.close();
    idle_gate_.close();
    changed_.notify_all();
    for (const auto& [id, one] : live_)
        one->wake();
}

/// Until no execution is in one of the short phases that must not be cut.
task<> execution_service::wait_until_stable()
{
    const auto moving = [this] {
        return std::any_of(live_.begin(), live_.end(),
            [](const auto& each) { return each.second->phase == run_phase::starting || each.second->phase == run_phase::ending; });
    };
    while (moving())
        co_await use_.time.wait_for(std::chrono::milliseconds(5));
}

task<> execution_service::flush_all()
{
    const auto all = live_;    // a copy: a run that ends meanwhile leaves the map
    for (const auto& [id, one] : all) {
        if (one->now.home)
            one->now.home->close_link();
        co_await one->log->flushed();
    }
}

task<result<void>> execution_service::hand_over(steady_time until)
{
    stop_accepting();
    // Nobody is admitted any more: what waits in the queue stays queued in the record.
    queue_.close();
    auto stable = wait_until_stable();
    if ((co_await with_deadline(use_.time, until, std::move(stable))).has_error())
        use_.log.warning("some executions are still starting or ending; the next server takes them up");
    auto flushed = flush_all();
    if ((co_await with_deadline(use_.time, until, std::move(flushed))).has_error())
        use_.log.warning("some output is not stored; the agents keep it for the next server");
    auto cleaned = cleanup_.wait_idle();
    static_cast<void>(co_await with_deadline(use_.time, until, std::move(cleaned)));
    auto drained = pool_.stop(until);
    static_cast<void>(co_await with_deadline(use_.time, std::max(until, use_.time.steady_now()) + stop_grace, std::move(drained)));
    auto discarded = stock_.stop(until);
    static_cast<void>(co_await with_deadline(use_.time, std::max(until, use_.time.steady_now()) + stop_grace, std::move(discarded)));
    auto stopped = stop_tasks();
    co_return co_await with_deadline(use_.time, std::max(until, use_.time.steady_now()) + stop_grace, std::move(stopped));
}

namespace {

task<> stop_work_of(std::shared_ptr<execution> one)
{
    if (one->now.home)
        co_await one->now.home->close();
    co_await one->background.stop();
}

}    // namespace

task<> execution_service::stop_tasks()
{
    co_await sweeper_.stop();
    co_await runs_.stop();
    co_await cleanup_.stop();
    auto all = life_.disposal().leaving();
    for (const auto& [id, one] : live_)
        all.insert(one);
    for (const auto& one : all)
        co_await stop_work_of(one);
    live_.clear();
}

task<result<void>> execution_service::end_all(end_bounds within)
{
    stop_accepting();
    queue_.close();    // those that wait end where they are
    std::vector<std::pair<tenant_id, execution_id>> all;
    for (const auto& [id, one] : live_)
        all.emplace_back(one->row.tenant, id);
    auto watched = watch_ends(within, all.size());
    auto ended = cancel_and_wait(std::move(all));
    const auto first = co_await race(std::move(ended), std::move(watched));
    if (first.index() == 1)
        use_.log.warning("some executions did not end in time", {{"left", live_.size()}, {"sandboxes_left", cleanup_.size()}});
    co_return co_await hand_over(use_.time.steady_now() + std::chrono::seconds(5));    // what is left keeps its own time
}

task<> execution_service::cancel_and_wait(std::vector<std::pair<tenant_id, execution_id>> all)
{
    auto unasked = all.size();
    for (auto& [tenant, id] : all) {
        if ((all.size() - unasked) % most_ended_at_once == 0)
            co_await wait_for_ends(unasked);
        --unasked;
        auto asking = without_exceptions(cancel(tenant, id));
        const auto asked = co_await std::move(asking);
        if (asked.has_error() && asked.error().code == errc::internal)
            use_.log.error("an execution cannot be cancelled", {{"execution_id", id.str()}, {"what", asked.error().detail}});
    }
    co_await runs_.wait_idle();
    co_await cleanup_.wait_idle();
}

/// Before more are cancelled: until the last ones are at their ends, which those that ignore SIGTERM are not soon, and until few sandboxes
/// are being removed.
task<> execution_service::wait_for_ends(std::size_t unasked)
{
    const auto until = use_.time.steady_now() + soon_at_its_end;
    while (cleanup_.size() >= most_ended_at_once || (live_.size() > unasked && use_.time.steady_now() < until))
        co_await use_.time.wait_for(look_at_ends_every);
}

/// Until they come no further.
task<> execution_service::watch_ends(end_bounds within, std::size_t all)
{
    ending_watch watch(within, left_to_end(), use_.time.steady_now());
    for (auto advice = ending_watch::advice::wait; advice != ending_watch::advice::give_up;) {
        co_await use_.time.wait_for(look_at_ends_every);
        const auto left = left_to_end();
        advice = watch.look(left, use_.time.steady_now());
        if (advice == ending_watch::advice::tell)
            use_.log.info("the executions are being ended", {{"all", all}, {"left", left.unrecorded}, {"sandboxes_left", left.unremoved}});
    }
}

}    // namespace caisson
