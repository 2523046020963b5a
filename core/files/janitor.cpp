#include "core/files/janitor.hpp"

#include "core/async/rounds.hpp"

#include <algorithm>
#include <map>

namespace caisson {

namespace {

/// The most bytes that are stored together with a small file and may be freed with it.
constexpr std::int64_t most_beside = 256 << 10;

/// The elements of `all` that are not in `named`, which has the same order.
std::vector<owned_content> without(std::vector<owned_content> all, const std::vector<content_id>& named)
{
    auto next = named.begin();
    std::erase_if(all, [&](const owned_content& each) {
        const bool is_named = next != named.end() && *next == each.content;
        if (is_named)
            ++next;
        return is_named;
    });
    return all;
}

std::vector<content_id> ids_of(const std::vector<owned_content>& contents)
{
    std::vector<content_id> ids;
    for (const auto& each : contents)
        ids.push_back(each.content);
    return ids;
}

}    // namespace

task<> janitor::run()
{
    return run_every<janitor_report>(
        &use_.time, &use_.log, options_.round_interval, "artifacts cannot be tidied up; trying again", [this] { return clean(); });
}

task<result<janitor_report>> janitor::clean()
{
    janitor_report report;
    auto expired = co_await remove_expired();
    if (expired.has_error())
        co_return expired.error();
    report.expired = *expired;
    auto beyond = co_await remove_beyond();
    if (beyond.has_error())
        co_return beyond.error();
    report.beyond = *beyond;
    if (!next_search_ || use_.time.steady_now() >= *next_search_) {
        auto unnamed = co_await remove_unnamed();
        if (unnamed.has_error())
            co_return unnamed.error();
        report.unnamed = *unnamed;
        next_search_ = use_.time.steady_now() + options_.search_interval;
    }
    if (report.expired + report.beyond + report.unnamed > 0)
        use_.log.info("artifacts were removed",
            {{"expired", report.expired}, {"beyond_the_bound", report.beyond}, {"without_a_record", report.unnamed}});
    co_return report;
}

task<result<std::size_t>> janitor::remove_expired()
{
    for (std::size_t removed = 0;;) {
        auto contents = co_await use_.artifacts.erase_expired(use_.time.now_ms(), options_.batch);
        if (contents.has_error())
            co_return contents.error();
        if (contents->empty())
            co_return removed;
        removed += contents->size();
        auto erased = co_await erase(std::move(*contents));
        if (erased.has_error())
            co_return erased.error();
    }
}

task<result<std::size_t>> janitor::remove_beyond()
{
    auto tenants = co_await use_.artifacts.tenants();
    if (tenants.has_error())
        co_return tenants.error();
    std::size_t sum = 0;
    for (const auto& tenant : *tenants) {
        auto removed = co_await remove_beyond_of(tenant);
        if (removed.has_error())
            co_return removed;
        sum += *removed;
        removed = co_await remove_beyond_stored(tenant);
        if (removed.has_error())
            co_return removed;
        sum += *removed;
    }
    co_return sum;
}

/// Small files are packed together, and the pack is freed with its last file. So a tenant that deletes all files of a pack but one stores
/// more than its artifacts' bytes. Removes no more than may suffice: the next round checks again.
task<result<std::size_t>> janitor::remove_beyond_stored(tenant_id tenant)
{
    const auto kept = co_await use_.contents.kept_bytes(tenant);    // not stored_bytes(): a backup may delay pending removals for hours
    if (kept.has_error())
        co_return kept.error();
    std::size_t removed = 0;
    for (auto excess = *kept - options_.max_stored_per_tenant; excess > 0;) {
        const auto enough = static_cast<std::size_t>(1 + (excess - 1) / most_beside);
        auto oldest = co_await use_.artifacts.erase_oldest(tenant, excess, std::min(options_.batch, enough));
        if (oldest.has_error())
            co_return oldest.error();
        const auto count = oldest->contents.size();
        if (count == 0)
            break;
        removed += count;
        excess -= oldest->bytes + static_cast<std::int64_t>(count) * most_beside;
        auto erased = co_await use_.contents.erase(tenant, std::move(oldest->contents));
        if (erased.has_error())
            co_return erased.error();
    }
    co_return removed;
}

task<result<std::size_t>> janitor::remove_beyond_of(tenant_id tenant)
{
    for (std::size_t removed = 0;;) {
        auto contents = co_await use_.artifacts.erase_beyond(tenant, options_.max_bytes_per_tenant, options_.batch);
        if (contents.has_error())
            co_return contents.error();
        if (contents->empty())
            co_return removed;
        removed += contents->size();
        auto erased = co_await use_.contents.erase(tenant, std::move(*contents));
        if (erased.has_error())
            co_return erased.error();
    }
}

/// Removes contents that a killed server wrote but did not record, and contents left over after their record's removal.
task<result<std::size_t>> janitor::remove_unnamed()
{
    content_filter wanted;
    wanted.finished_before_ms = use_.time.now_ms() - options_.record_grace.count();
    wanted.limit = options_.batch;
    for (std::size_t removed = 0;;) {
        auto page = co_await use_.contents.list(wanted);
        if (page.has_error())
            co_return page.error();
        if (page->empty())
            co_return removed;
        wanted.after = page->back().content;
        auto named = co_await use_.artifacts.named(ids_of(*page));
        if (named.has_error())
            co_return named.error();
        auto unnamed = without(std::move(*page), *named);
        removed += unnamed.size();
        auto erased = co_await erase(std::move(unnamed));
        if (erased.has_error())
            co_return erased.error();
    }
}

task<result<void>> janitor::erase(std::vector<owned_content> contents)
{
    std::map<tenant_id, std::vector<content_id>> by_tenant;
    for (auto& each : contents)
        by_tenant[each.tenant].push_back(std::move(each.content));
    for (auto& [tenant, ids] : by_tenant) {
        auto erased = co_await use_.contents.erase(tenant, std::move(ids));
        if (erased.has_error())
            co_return erased;
    }
    co_return result<void>();
}

}    // namespace caisson
