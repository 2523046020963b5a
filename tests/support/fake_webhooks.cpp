#include "tests/support/fake_webhooks.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

namespace caisson::testing {

void fake_webhook_store::insert(execution_id execution, tenant_id tenant, std::string url, std::string secret)
{
    webhook_job job;
    job.execution = execution;
    job.tenant = std::move(tenant);
    job.receiver = parse_webhook_url(url).value().receiver();
    job.secret = std::move(secret);
    job.status.url = std::move(url);
    rows_[std::move(execution)] = {std::move(job), std::nullopt};
}

void fake_webhook_store::make_due(const execution_id& execution, std::int64_t ended_at_ms)
{
    const auto found = rows_.find(execution);
    if (found == rows_.end())
        return;
    found->second.ended_at_ms = ended_at_ms;
    found->second.job.status.next_attempt_at_ms = ended_at_ms;
}

task<result<webhook_status>> fake_webhook_store::find(tenant_id tenant, execution_id execution)
{
    if (auto planned = enter())
        co_return std::move(*planned);
    const auto found = rows_.find(execution);
    if (found == rows_.end() || found->second.job.tenant != tenant)
        co_return error{errc::not_found, "no webhook of " + execution.str()};
    co_return found->second.job.status;
}

std::vector<webhook_job> fake_webhook_store::due_of(const tenant_id& tenant, const webhook_query& wanted) const
{
    std::vector<webhook_job> all;
    for (const auto& [id, each] : rows_)
        if (each.job.tenant == tenant && each.job.status.next_attempt_at_ms && *each.job.status.next_attempt_at_ms <= wanted.now_ms)
            all.push_back(each.job);
    std::ranges::sort(all, {}, [](const webhook_job& job) { return std::tie(job.status.next_attempt_at_ms, job.execution); });
    std::map<std::string, std::size_t> taken;
    std::erase_if(all, [&](const webhook_job& job) { return ++taken[job.receiver] > wanted.per_receiver; });
    all.resize(std::min(all.size(), wanted.per_tenant));
    return all;
}

task<result<std::vector<webhook_job>>> fake_webhook_store::due(webhook_query wanted)
{
    if (auto planned = enter())
        co_return std::move(*planned);
    std::set<tenant_id> tenants;
    for (const auto& [id, each] : rows_)
        tenants.insert(each.job.tenant);
    std::vector<tenant_id> turns(tenants.upper_bound(wanted.after), tenants.end());
    turns.insert(turns.end(), tenants.begin(), tenants.upper_bound(wanted.after));
    std::vector<webhook_job> out;
    for (const auto& tenant : turns)
        if (out.size() < wanted.limit)
            std::ranges::move(due_of(tenant, wanted), std::back_inserter(out));
    co_return out;
}

task<result<std::optional<std::int64_t>>> fake_webhook_store::next_due(std::int64_t now_ms)
{
    if (auto planned = enter())
        co_return std::move(*planned);
    if (const auto meanwhile = std::exchange(between_due_and_next_due, nullptr))
        meanwhile();
    std::optional<std::int64_t> next;
    for (const auto& [id, each] : rows_)
        if (const auto at = each.job.status.next_attempt_at_ms; at && *at > now_ms && (!next || *at < *next))
            next = at;
    co_return next;
}

task<result<void>> fake_webhook_store::note(execution_id execution, webhook_status status)
{
    if (auto planned = enter())
        co_return std::move(*planned);
    const auto found = rows_.find(execution);
    if (found == rows_.end())
        co_return error{errc::not_found, "no webhook of " + execution.str()};
    status.url = found->second.job.status.url;
    found->second.job.status = std::move(status);
    co_return result<void>();
}

task<result<std::size_t>> fake_webhook_store::erase_ended(std::int64_t before_ms, std::size_t limit)
{
    if (auto planned = enter())
        co_return std::move(*planned);
    std::size_t erased = 0;
    for (auto at = rows_.begin(); at != rows_.end() && erased < limit;) {
        const bool old = at->second.ended_at_ms && *at->second.ended_at_ms < before_ms;
        erased += old ? 1 : 0;
        at = old ? rows_.erase(at) : std::next(at);
    }
    co_return erased;
}

}    // namespace caisson::testing
