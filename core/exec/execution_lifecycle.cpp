// The begin and the end of an execution_service: taking up what an earlier server left, and leaving it to the next.

#include "core/async/deadline.hpp"
#include "core/exec/execution_service.hpp"
#include "core/exec/record.hpp"

namespace caisson {

task<result<void>> execution_service::start()
{
    auto left = co_await use_.executions.unfinished();
    if (left.has_error())
        co_return left.error();
    auto alive = co_await use_.sandboxes.alive();
    if (alive.has_error())
        co_return alive.error();
    std::vector<sandbox_id> keep;
    for (const auto& each : *left)
        if (each.row.sandbox)
            keep.push_back(*each.row.sandbox);
    for (const auto& [name, each] : use_.runtimes) {
        const auto removed = co_await each->sweep(keep);
        if (removed > 0)
            use_.log.info("sandboxes without an execution were removed", {{"runtime", name}, {"count", removed}});
    }
    for (const auto& box : *alive)
        if (std::find(keep.begin(), keep.end(), box.id) == keep.end())
            static_cast<void>(co_await use_.sandboxes.update(
                box.id, sandbox_state::destroyed, "", "swept at the start of the server", use_.time.now_ms()));
    co_await take_up_all(std::move(*left));
    co_return result<void>();
}

task<> execution_service::take_up_all(std::vector<unfinished_execution> left)
{
    for (auto& each : left) {
        auto extent = co_await use_.events.extent(each.row.id);
        if (extent.has_error()) {
            use_.log.error("a log cannot be read; its execution waits for the next start",
                {{"execution_id", each.row.id.str()}, {"what", extent.error().detail}});
            continue;
        }
        const bool has_exit = extent->has_exit;
        const bool is_new = extent->end.control == 0;
        const bool in_sandbox = each.row.sandbox.has_value();
        const auto started_at_ms = each.row.started_at_ms;
        auto one = make_live(std::move(each.row), std::move(each.spec), std::move(*extent));
        if (has_exit) {
            co_await finish_from_log(one);
            continue;
        }
        if (is_new)
            one->log->control(event_kind::state, state_body(one->row));
        if (in_sandbox && started_at_ms) {    // the wall clock has been running meanwhile
            const auto passed = std::max<std::int64_t>(use_.time.now_ms() - *started_at_ms, 0);
            one->started_at = use_.time.steady_now() - std::chrono::milliseconds(passed);
            one->started = one->log->buffer().stored_position().control > 1;    // its state event is in the log
            if (!one->started)
                one->row.status = execution_status::queued;
        }
        one->stdin_known = !in_sandbox;
        launch(one, in_sandbox);
    }
}

/// Its end is in the log, its record was not written any more.
task<> execution_service::finish_from_log(live_ptr one)
{
    auto before = one->log->buffer().stored_position();
    before.control = 0;    // all control events, no output
    const auto read = co_await use_.events.read(one->row.id, before, 1);
    try {
        for (const auto& event : read.value()) {
            if (event->kind == event_kind::truncated)
                (event->stream == output_stream::stdout_stream ? one->row.stdout_truncated : one->row.stderr_truncated) = true;
            if (event->kind == event_kind::exit)
                apply_exit_body(one->row, event->body, event->at_ms);
        }
    } catch (const std::exception& e) {
        use_.log.error(
            "an execution's end cannot be read; it waits for the next start", {{"execution_id", one->row.id.str()}, {"what", e.what()}});
        co_return;
    }
    if (is_final(one->row.status))
        co_await runner_.finish(one);
}

void execution_service::stop_accepting()
{
    stopping_ = true;
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
        if (one->link)
            one->link->close();
        co_await one->log->flushed();
    }
}

task<> execution_service::hand_over(steady_time until)
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
    co_await runs_.stop();
    co_await cleanup_.stop();
    for (const auto& [id, one] : live_)
        co_await one->background.stop();
    live_.clear();
}

task<> execution_service::end_all(steady_time until)
{
    stop_accepting();
    std::vector<std::pair<tenant_id, execution_id>> all;
    for (const auto& [id, one] : live_)
        all.emplace_back(one->row.tenant, id);
    for (auto& [tenant, id] : all)
        static_cast<void>(co_await cancel(tenant, id));
    auto idle = runs_.wait_idle();
    if ((co_await with_deadline(use_.time, until, std::move(idle))).has_error())
        use_.log.warning("some executions did not end in time");
    co_await hand_over(use_.time.steady_now() + std::chrono::seconds(5));    // what is left keeps its own time
}

}    // namespace caisson
