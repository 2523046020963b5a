#include "core/sandbox/sweeper.hpp"

#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"

#include <algorithm>
#include <iterator>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto patience_at_start = 5s;
constexpr std::chrono::milliseconds first_patience = 1s;
constexpr std::int64_t records_kept_ms = 24 * 3'600'000;    // of sandboxes that ended
constexpr std::size_t records_at_once = 500;                // so that other writes get their turn
constexpr std::size_t most_batches = 40;                    // of one sweep

}    // namespace

sweeper::sweeper(sandbox_services services, sandbox_holders holders, const sweep_rules& rules)
    : use_(services)
    , holders_(std::move(holders))
    , rules_(rules)
    , background_(services.executor, services.log)
    , over_(services.executor)
    , asked_(services.executor)
    , patience_(first_patience)
{
}

task<result<void>> sweeper::start()
{
    background_.spawn("sweeps", run());
    auto first = wait_for_first();
    const auto waited = co_await with_deadline(use_.time, use_.time.steady_now() + patience_at_start, std::move(first));
    if (waited.has_error())
        use_.log.info("what an earlier server left is still being removed; the start goes on meanwhile");
    co_return first_.value_or(result<void>());
}

task<> sweeper::wait_for_first()
{
    while (!first_)
        co_await over_.wait_past(over_.version());
}

task<> sweeper::run()
{
    for (;;) {
        heard_ = asked_.version();
        auto sweeping = without_exceptions(sweep());
        auto outcome = co_await std::move(sweeping);
        if (outcome.has_error())
            failed("records", outcome.error());
        else
            succeeded("records", 0);
        ++sweeps_;
        if (!first_)
            first_ = std::move(outcome);
        over_.notify_all();
        if (!rules_.interval)
            co_return;
        co_await rest();
    }
}

void sweeper::soon() { asked_.notify_all(); }

/// What failed is tried again soon, and seldom if it goes on.
task<> sweeper::rest()
{
    const std::chrono::milliseconds interval = *rules_.interval;
    const auto pause = failing_.empty() ? interval : std::min(patience_, interval);
    patience_ = failing_.empty() ? first_patience : 2 * pause;
    auto request = asked_.wait_past(heard_);
    const auto asked = co_await with_deadline(use_.time, use_.time.steady_now() + pause, std::move(request));
    if (!asked.has_value())
        co_return;
    patience_ = first_patience;
    co_await use_.time.wait_for(std::min(first_patience, interval));    // it failed a moment ago
}

task<result<void>> sweeper::sweep()
{
    tried_.clear();
    auto found = co_await find_suspects();
    if (found.has_error())
        co_return found.error();
    co_await remove_all(fresh_first(std::move(*found)));
    co_await do_chores();
    co_await erase_old_records();
    // What failed before and was not met again went away by itself.
    std::erase_if(failing_, [this](const auto& what) { return !tried_.contains(what); });
    co_return result<void>();
}

/// The order makes the sweep safe beside sandboxes that are being made. It lists what the runtimes find, then reads the records, then asks
/// the holders. A sandbox that is being made or taken up has an object from its first trace on, and a runtime does not remove a sandbox
/// that has an object (left_over_source::remove_left_over). A sandbox that had none when it was listed was recorded earlier, if a holder
/// needs it. A holder stores that it needs a sandbox before the object goes, so its answer, which comes last, names the sandbox.
task<result<sweeper::suspects>> sweeper::find_suspects()
{
    auto all = std::make_shared<suspects>();
    co_await list(all);
    auto alive = co_await use_.store.alive();
    if (alive.has_error())
        co_return alive.error();
    for (auto& row : *alive) {
        if (!holders_.contains(row.holder.kind)) {
            all->erase(row.id);
            continue;
        }
        auto& recorded = all->try_emplace(row.id, suspect{row.id, row.runtime, "", false, false}).first->second;
        recorded.recorded = true;
        recorded.runtime = row.runtime;
        recorded.runtime_state = std::move(row.runtime_state);
    }
    const auto asked = co_await take_out_held(all);
    if (asked.has_error())
        co_return asked.error();
    co_return std::move(*all);
}

task<result<void>> sweeper::take_out_held(std::shared_ptr<suspects> from)
{
    for (const auto& [kind, holder] : holders_) {
        const auto held = co_await holder->sandboxes_held();
        if (held.has_error())
            co_return held.error();
        for (const auto& id : *held)
            from->erase(id);
    }
    co_return result<void>();
}

task<> sweeper::list(std::shared_ptr<suspects> into)
{
    for (const auto& [name, where] : use_.sources.runtimes) {
        auto listing = without_exceptions(where->left_overs());
        const auto found = co_await std::move(listing);
        if (found.has_error()) {
            failed("left-overs of the runtime " + name, found.error());
            continue;
        }
        succeeded("left-overs of the runtime " + name, 0);
        for (const auto& id : *found)
            into->try_emplace(id, suspect{id, name, "", true, false});
    }
}

/// What failed before takes its time again: it must not hold up the others.
std::vector<sweeper::suspect> sweeper::fresh_first(suspects all) const
{
    std::vector<suspect> ordered;
    std::vector<suspect> sticking;
    for (auto& [id, each] : all)
        (failing_.contains(id.str()) ? sticking : ordered).push_back(std::move(each));
    std::ranges::move(sticking, std::back_inserter(ordered));
    return ordered;
}

task<> sweeper::remove_all(std::vector<suspect> all)
{
    std::size_t removed = 0;
    for (const auto& each : all) {
        auto removing = without_exceptions(remove(each));
        const auto done = co_await std::move(removing);
        if (done.has_error()) {
            failed(each.id.str(), done.error());
            continue;
        }
        const std::size_t count = *done ? 1 : 0;
        succeeded(each.id.str(), count);
        removed += count;
    }
    if (removed > 0)
        use_.log.info("left-over sandboxes were removed", {{"count", removed}});
}

/// True if there was something and now there is not; false if it is not the sweeper's to remove.
task<result<bool>> sweeper::remove(suspect what)
{
    if (left_over_source* const source = use_.sources.find(what.runtime)) {
        const auto removed = co_await source->remove_left_over(what.id, what.runtime_state);
        if (removed.has_error() && removed.error().code == errc::conflict)
            co_return false;
        if (removed.has_error())
            co_return removed.error();
    }
    if (!what.recorded)
        co_return true;
    const std::string cause = what.found ? "swept: its holder did not need it any more" : "swept: nothing of it was there any more";
    const auto ended = co_await use_.store.end(what.id, cause, use_.time.now_ms());
    if (ended.has_error() && ended.error().code != errc::not_found)
        co_return ended.error();
    co_return what.found;
}

task<> sweeper::do_chores()
{
    for (const auto& chore : rules_.chores) {
        auto doing = without_exceptions(chore.run());
        const auto done = co_await std::move(doing);
        if (done.has_error())
            failed(chore.name, done.error());
        else
            succeeded(chore.name, *done);
    }
}

task<> sweeper::erase_old_records()
{
    for (std::size_t batch = 0; batch < most_batches; ++batch) {
        auto erasing = without_exceptions(use_.store.erase_ended(use_.time.now_ms() - records_kept_ms, records_at_once));
        const auto erased = co_await std::move(erasing);
        if (erased.has_error())
            co_return failed("old records", erased.error());
        if (*erased < records_at_once)
            co_return succeeded("old records", 0);
    }
}

void sweeper::succeeded(const std::string& what, std::size_t count)
{
    removed_ += count;
    if (failing_.erase(what) > 0)
        use_.log.info("a left-over that could not be removed before is gone", {{"what", what}});
}

void sweeper::failed(const std::string& what, const error& why)
{
    tried_.insert(what);
    if (failing_.insert(what).second)
        use_.log.warning("a left-over could not be removed; each sweep tries again", {{"what", what}, {"reason", why.detail}});
}

}    // namespace caisson
