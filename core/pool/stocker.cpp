#include "core/pool/stocker.hpp"

#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"

#include <algorithm>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// Kept whatever the demand, for the first requests after a rest.
constexpr std::size_t kept_anyhow = 4;
/// Longest waits for the idle gate: with less than half of the wanted number prepared, and with half or more.
constexpr std::chrono::milliseconds when_few = 40ms;
constexpr std::chrono::milliseconds when_half = 250ms;
constexpr auto look_again_after = 5s;
constexpr std::chrono::milliseconds delay_at_first = 500ms;
constexpr std::chrono::milliseconds longest_delay = 60s;

}    // namespace

stocker::stocker(sandbox_services services, idle_gate& gate)
    : use_(std::move(services)), idle_gate_(gate), changed_(use_.executor), tasks_(use_.executor, use_.log)
{
}

void stocker::begin(const sandbox_limits& limits)
{
    if (std::exchange(begun_, true) || stopping_)
        return;
    limits_ = limits;
    for (const auto& [name, where] : use_.sources.runtimes) {
        const bool is_enabled = use_.sources.enabled.empty() || std::ranges::find(use_.sources.enabled, name) != use_.sources.enabled.end();
        if (is_enabled)
            tasks_.spawn("prepared sandboxes", keep(where));
    }
}

void stocker::note(const runtime& where)
{
    demands_[&where].note(use_.time.steady_now());
    changed_.notify_all();
}

std::size_t stocker::target(const runtime& where) const
{
    const auto asked = demands_.find(&where);
    const auto worth = asked == demands_.end() ? 0 : asked->second.worth(use_.time.steady_now());
    return where.capabilities().available ? std::min(std::max(worth, kept_anyhow), where.most_prepared()) : 0;
}

std::chrono::milliseconds stocker::patience(const runtime& where) const
{
    return 2 * where.prepared() >= target(where) ? when_half : when_few;
}

task<> stocker::keep(runtime* where)
{
    auto delay = delay_at_first;
    steady_time next_try{};
    while (!stopping_) {
        const auto seen = changed_.version();
        const auto now = use_.time.steady_now();
        const auto lacks = where->prepared() < target(*where);
        if (!lacks)    // only then is nothing scarce: what was given back can always be made again
            delay = delay_at_first;
        if (!lacks || now < next_try) {
            co_await give_back(where, target(*where));
            auto change = changed_.wait_past(seen);
            const auto next_look = std::min(now + look_again_after, lacks ? next_try : steady_time::max());
            static_cast<void>(co_await with_deadline(use_.time, next_look, std::move(change)));
            continue;
        }
        co_await idle_gate_.wait(idle_gate::work::preparing, patience(*where));
        if (stopping_)
            co_return;
        auto preparing = without_exceptions(prepare_one(where));
        const auto done = co_await std::move(preparing);
        if (!done.has_error())
            continue;
        use_.log.warning("no sandbox can be prepared; trying again", {{"runtime", where->name()}, {"what", done.error().detail}});
        co_await give_back(where, where->prepared() / 2);    // something is scarce, and others may need it
        next_try = use_.time.steady_now() + delay;
        delay = std::min(delay * 2, longest_delay);
    }
}

task<> stocker::give_back(runtime* where, std::size_t kept)
{
    auto discarding = without_exceptions(as_result(where->discard_prepared(kept)));
    const auto done = co_await std::move(discarding);
    if (done.has_error())
        use_.log.warning("prepared sandboxes cannot be removed", {{"runtime", where->name()}, {"what", done.error().detail}});
}

task<result<void>> stocker::prepare_one(runtime* where) { return where->prepare_ahead(use_.ids.make<sandbox_id>(), limits_); }

void stocker::close()
{
    stopping_ = true;
    changed_.notify_all();
}

task<> stocker::stop(steady_time until)
{
    close();
    co_await tasks_.stop();
    for (const auto& [name, where] : use_.sources.runtimes) {
        auto discarding = where->discard_prepared(0);
        if ((co_await with_deadline(use_.time, until, std::move(discarding))).has_error())
            use_.log.warning("some prepared sandboxes are not removed; the next server does it", {{"runtime", name}});
    }
}

}    // namespace caisson
