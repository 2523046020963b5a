#include "core/exec/execution_shutdown.hpp"

#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"

#include <algorithm>
#include <chrono>

namespace caisson {

namespace {

/// Stopped tasks end within this, unless a disk does not answer.
constexpr std::chrono::seconds stop_grace(5);
constexpr std::chrono::milliseconds look_at_ends_every(20);
/// A server cancels so many executions at a time, since the removal of each sandbox has a deadline.
constexpr std::size_t most_ended_at_once = 64;
constexpr std::chrono::milliseconds soon_at_its_end(200);

task<> stop_work_of(execution_ptr exec)
{
    if (exec->current.lease.home)
        co_await exec->current.lease.home->close();
    exec->stop_listening();
    co_await exec->background.stop();
}

}    // namespace

/// Waits until no execution is in a short phase, which must not be cut.
task<> execution_shutdown::wait_until_stable()
{
    const auto moving = [this] {
        return std::any_of(live_.all().begin(), live_.all().end(),
            [](const auto& each) { return each.second->phase == run_phase::starting || each.second->phase == run_phase::ending; });
    };
    while (moving())
        co_await use_.time.wait_for(std::chrono::milliseconds(5));
}

task<> execution_shutdown::flush_all()
{
    const auto all = live_.all();    // a copy: a run that ends meanwhile leaves the map
    for (const auto& [id, exec] : all) {
        if (exec->current.lease.home)
            exec->current.lease.home->close_link();
        co_await exec->log->flushed();
    }
}

task<result<void>> execution_shutdown::hand_over(steady_time until)
{
    // No execution is admitted any more: those that wait stay queued in their records.
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

task<> execution_shutdown::stop_tasks()
{
    co_await sweeper_.stop();
    co_await live_.stop_tasks();
    co_await cleanup_.stop();
    auto all = life_.disposal().leaving();
    for (const auto& [id, exec] : live_.all())
        all.insert(exec);
    for (const auto& exec : all)
        co_await stop_work_of(exec);
    live_.forget_all();
}

task<result<void>> execution_shutdown::end_all(end_bounds within)
{
    queue_.close();    // waiting executions end where they are
    std::vector<std::pair<tenant_id, execution_id>> all;
    for (const auto& [id, exec] : live_.all())
        all.emplace_back(exec->row.tenant, id);
    auto watched = watch_ends(within, all.size());
    auto ended = cancel_and_wait(std::move(all));
    const auto first = co_await race(std::move(ended), std::move(watched));
    if (first.index() == 1)
        use_.log.warning("some executions did not end in time", {{"left", live_.size()}, {"sandboxes_left", cleanup_.size()}});
    co_return co_await hand_over(use_.time.steady_now() + std::chrono::seconds(5));    // hand_over() has its own bounds
}

task<> execution_shutdown::cancel_and_wait(std::vector<std::pair<tenant_id, execution_id>> all)
{
    auto unasked = all.size();
    for (auto& [tenant, id] : all) {
        if ((all.size() - unasked) % most_ended_at_once == 0)
            co_await wait_for_ends(unasked);
        --unasked;
        auto asking = without_exceptions(access_.cancel(tenant, id));
        const auto asked = co_await std::move(asking);
        if (asked.has_error() && asked.error().code == errc::internal)
            use_.log.error("an execution cannot be cancelled", {{"execution_id", id.str()}, {"what", asked.error().detail}});
    }
    co_await live_.wait_idle();
    co_await cleanup_.wait_idle();
}

/// Waits before more are cancelled: until the last ones have ended, or soon_at_its_end passed, since some ignore SIGTERM; and until few
/// sandboxes are being removed.
task<> execution_shutdown::wait_for_ends(std::size_t unasked)
{
    const auto until = use_.time.steady_now() + soon_at_its_end;
    while (cleanup_.size() >= most_ended_at_once || (live_.size() > unasked && use_.time.steady_now() < until))
        co_await use_.time.wait_for(look_at_ends_every);
}

/// Returns when the executions come no nearer to their ends.
task<> execution_shutdown::watch_ends(end_bounds within, std::size_t all)
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
