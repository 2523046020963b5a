#include "core/exec/record/record_retention.hpp"

#include "core/async/rounds.hpp"

namespace caisson {

task<> record_retention::run()
{
    return run_every<report>(&use_.time, &use_.log, use_.kept.bounds().round_interval, "ended executions cannot be removed; trying again",
        [this] { return clean(); });
}

task<result<record_retention::report>> record_retention::clean()
{
    report done;
    failure_.reset();
    const auto& bounds = use_.kept.bounds();
    if (bounds.max_age.count() > 0 && (!next_age_look_ || use_.time.steady_now() >= *next_age_look_)) {
        auto removed = co_await remove_old();
        if (removed.has_error())
            co_return removed.error();
        done.too_old = *removed;
        if (*removed < bounds.batch)    // else there may be more
            next_age_look_ = use_.time.steady_now() + bounds.age_interval;
    }
    for (const auto& tenant : use_.kept.with_too_much()) {
        auto removed = co_await remove_oldest_of(tenant);
        if (removed.has_error())
            co_return removed.error();
        done.beyond += *removed;
    }
    if (done.too_old + done.beyond > 0)
        use_.log.info("ended executions were removed", {{"too_old", done.too_old}, {"beyond_the_bound", done.beyond}});
    if (failure_)
        co_return *failure_;
    co_return done;
}

/// The order of ids is that of creation: behind the first that was created too late nothing ended too early.
task<result<std::size_t>> record_retention::remove_old()
{
    const auto before_ms = use_.time.now_ms() - use_.kept.bounds().max_age.count();
    return remove_in_order(std::nullopt, [before_ms](const kept_execution& each) {
        if (each.created_at_ms >= before_ms)
            return what_next::stop;
        return !each.is_needed && each.finished_at_ms.value_or(before_ms) < before_ms ? what_next::remove : what_next::pass;
    });
}

task<result<std::size_t>> record_retention::remove_oldest_of(tenant_id tenant)
{
    auto judge = [this, tenant](const kept_execution& each) {
        if (!use_.kept.has_too_much(tenant))
            return what_next::stop;
        return each.finished_at_ms && !each.is_needed ? what_next::remove : what_next::pass;
    };
    return remove_in_order(std::move(tenant), std::move(judge));
}

task<result<std::size_t>> record_retention::remove_in_order(
    std::optional<tenant_id> tenant, std::function<what_next(const kept_execution&)> judge)
{
    execution_id after;
    for (std::size_t removed = 0;;) {
        auto page = co_await use_.executions.oldest(tenant, after, use_.kept.bounds().batch);
        if (page.has_error())
            co_return page.error();
        for (const auto& each : *page) {
            const auto next = judge(each);
            if (next == what_next::stop)
                co_return removed;
            if (next == what_next::pass)
                continue;
            const bool gone = co_await remove(each);
            removed += gone ? 1 : 0;
        }
        if (page->empty() || removed >= use_.kept.bounds().batch)
            co_return removed;
        after = page->back().id;
    }
}

/// False if it was removed meanwhile, is still being ended, or cannot be removed.
task<bool> record_retention::remove(kept_execution which)
{
    auto erasing = without_exceptions(use_.erase(which.tenant, which.id));
    const auto erased = co_await std::move(erasing);
    if (erased.has_error() && erased.error().code != errc::not_found && erased.error().code != errc::conflict)
        failure_ = erased.error();
    co_return erased.has_value();
}

}    // namespace caisson
