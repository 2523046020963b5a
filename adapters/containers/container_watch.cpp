#include "adapters/containers/container_watch.hpp"

#include "adapters/engine/events.hpp"
#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"

#include <limits>

namespace caisson::docker {

namespace {

using namespace std::chrono_literals;

constexpr auto look_again_within = 5s;
/// The interval of inspections, in case events were missed.
constexpr std::chrono::milliseconds look_every = 5s;
/// The interval of usage readings if the container's cgroup is not visible; CPU time limits depend on them.
constexpr std::chrono::milliseconds read_every = 250ms;
/// Memory exhaustion longer before the end hit a program that the container survived.
constexpr std::chrono::nanoseconds around_its_end = 2s;
/// The wait for events that explain an end and follow it.
constexpr std::chrono::milliseconds explain_within = 1s;
constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();    // no notifier version exceeds it

event_feed::listener listen(std::shared_ptr<watched_container> what, logger* log)
{
    event_feed::listener to;
    to.take = [what](const container_event& event) {
        what->status.note(event);
        what->changed.notify_all();
    };
    to.restored = [what] {
        what->status.note_events_again();
        what->changed.notify_all();
    };
    to.lost = [what, log](const error& why) {
        what->status.engine_was_lost();
        log->warning("the engine's events are not heard", {{"container", what->id}, {"what", why.detail}});
    };
    return to;
}

task<> wait_for_change(std::shared_ptr<watched_container> what, std::uint64_t seen) { co_await what->changed.wait_past(seen); }

group_usage usage_of(const container_stats& stats)
{
    group_usage out;
    out.cpu_us = stats.cpu_us;
    out.memory_peak_bytes = stats.memory_peak_bytes ? stats.memory_peak_bytes : stats.memory_bytes;
    return out;
}

class watch {
public:
    explicit watch(watch_order order) : order_(std::move(order)), engine_(order_.on) { }

    task<std::string> until_end()
    {
        auto& what = *order_.what;
        auto next_look = order_.time.steady_now();
        for (;;) {
            const auto seen = what.changed.version();
            if (what.status.wants_look() || order_.time.steady_now() >= next_look) {
                co_await look_at(&order_.on, order_.what, soon());
                next_look = order_.time.steady_now() + look_every;
            }
            if (what.status.cause()) {
                co_await hear_why();
                co_return *what.status.cause();
            }
            co_await read_usage();
            co_await thaw();
            co_await rest(seen);
        }
    }

    task<> hear_why()
    {
        auto& what = *order_.what;
        const auto until = order_.time.steady_now() + explain_within;
        while (what.status.may_be_explained_yet() && order_.time.steady_now() < until) {
            const auto seen = what.changed.version();
            what.status.note_usage(what.group.usage());    // if its cgroup still exists
            co_await look_at(&order_.on, order_.what, soon());
            if (!what.status.may_be_explained_yet())
                break;
            auto change = wait_for_change(order_.what, seen);
            static_cast<void>(co_await with_deadline(order_.time, until, std::move(change)));
        }
    }

private:
    steady_time soon() const { return order_.time.steady_now() + look_again_within; }

    task<> read_usage()
    {
        auto& what = *order_.what;
        if (!what.group.members().empty() || what.id.empty())
            co_return;
        const auto stats = co_await engine_.stats(what.id, soon());
        if (stats.has_value())
            what.status.note_usage(usage_of(*stats));
    }

    task<> thaw()
    {
        auto& what = *order_.what;
        if (!std::exchange(what.thaw_wanted, false) || !what.status.is_paused())
            co_return;
        order_.log.warning("a container was paused from outside; it is thawed, since its programs are to end", {{"container", what.id}});
        const auto done = co_await engine_.unpause(what.id, soon());
        what.thaw_wanted = done.has_error() && done.error().code != errc::conflict;
    }

    /// Pauses also after a failed inspection, so that an unreachable engine is not asked in a busy loop.
    task<> rest(std::uint64_t seen)
    {
        const auto pause = order_.what->group.members().empty() || order_.what->status.wants_look() ? read_every : look_every;
        auto change = wait_for_change(order_.what, seen);
        const auto woken = co_await with_deadline(order_.time, order_.time.steady_now() + pause, std::move(change));
        static_cast<void>(woken);    // the caller checks everything anyway
    }

    watch_order order_;
    containers engine_;
};

task<std::string> run_watch(std::shared_ptr<watch> watch) { co_return co_await watch->until_end(); }

task<> run_feed(std::shared_ptr<event_feed> feed) { co_await feed->run(); }

task<> read_at_exit(std::shared_ptr<watched_container> what)
{
    static_cast<void>(co_await what->first_process->wait());
    what->status.note_usage(what->group.usage());
    what->changed.notify_all();
}

/// Reads the usage when the first process exits: the engine removes an ended container's cgroup, with its counters, within
/// milliseconds. Never returns.
task<> read_at_end(std::shared_ptr<watched_container> what)
{
    if (what->first_process) {
        auto reading = as_result(read_at_exit(what));
        static_cast<void>(co_await without_exceptions(std::move(reading)));    // on a lack of descriptors the rest of the watch continues
    }
    co_await wait_for_change(what, never);
}

task<> run_hearing(std::shared_ptr<watch> watch) { co_await watch->hear_why(); }

task<> run_past_feed(std::shared_ptr<event_feed> feed) { co_await feed->run_from_the_past(); }

std::shared_ptr<event_feed> feed_of(const watch_order& order, event_feed::listener to)
{
    return std::make_shared<event_feed>(order.on, order.time, order.labels, std::move(to));
}

}    // namespace

task<> look_at(engine* on, std::shared_ptr<watched_container> what, steady_time deadline)
{
    if (what->id.empty())
        co_return;    // the container was never created
    containers engine(*on);
    const auto found = co_await engine.inspect(what->id, deadline);
    what->status.note_look(found);
    const bool is_away = found.has_error() && found.error().code == errc::runtime_unavailable;
    if (!is_away)
        co_return;
    what->status.note_usage(what->group.usage());    // if its cgroup still exists
    if (what->group.is_known_to_be_empty())
        what->status.note_gone(found.error());
}

task<std::string> watch_container(watch_order order)
{
    auto to = listen(order.what, &order.log);
    auto feed = feed_of(order, std::move(to));
    auto reading = read_at_end(order.what);
    auto made = std::make_shared<watch>(std::move(order));
    auto watching = run_watch(std::move(made));
    auto hearing = run_feed(std::move(feed));
    auto first = co_await race(std::move(watching), std::move(hearing), std::move(reading));
    co_return std::get<0>(std::move(first));    // the others never end by themselves
}

task<> hear_why_it_ended(watch_order order)
{
    if (!order.what->status.may_be_explained_yet())
        co_return;
    auto to = listen(order.what, &order.log);
    to.take = [take = std::move(to.take), lacked_ns = std::int64_t{0}, died = false](const container_event& event) mutable {
        if (event.action == "oom")    // other events may be caused by an earlier server
            lacked_ns = event.at_ns;
        died = died || event.action == "die";
        if (died && lacked_ns != 0 && lacked_ns + around_its_end.count() >= event.at_ns)
            take({.action = "oom", .id = event.id});
    };
    to.lost = [](const error&) { };    // a loss after the end is not its cause
    auto feed = feed_of(order, std::move(to));
    auto made = std::make_shared<watch>(std::move(order));
    auto waiting = run_hearing(std::move(made));
    auto hearing = run_past_feed(std::move(feed));
    static_cast<void>(co_await race(std::move(waiting), std::move(hearing)));
}

}    // namespace caisson::docker
