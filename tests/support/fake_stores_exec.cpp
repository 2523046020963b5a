#include "tests/support/fake_stores.hpp"

#include <algorithm>
#include <ranges>

namespace caisson::testing {

namespace {

error no_execution(const execution_id& id) { return {errc::not_found, "no execution " + id.str()}; }

bool matches(const execution_row& row, const execution_filter& wanted)
{
    const auto has_label = [&] {
        const auto found = row.labels.find(wanted.label->first);
        return found != row.labels.end() && found->second == wanted.label->second;
    };
    return (!wanted.status || row.status == *wanted.status) && (!wanted.kind || row.kind == *wanted.kind) &&
           (!wanted.label || has_label()) && (!wanted.skill || row.skill_name == *wanted.skill) &&
           (!wanted.created_from_ms || row.created_at_ms >= *wanted.created_from_ms) &&
           (!wanted.created_before_ms || row.created_at_ms < *wanted.created_before_ms) && (!wanted.before || row.id < *wanted.before);
}

}    // namespace

fake_execution_store::entry* fake_execution_store::find_entry(const tenant_id& tenant, const execution_id& id)
{
    const auto found = entries_.find(id);
    return found == entries_.end() || found->second.row.tenant != tenant ? nullptr : &found->second;
}

task<result<void>> fake_execution_store::insert(execution_row row, execution_spec spec)
{
    if (corked_)
        co_await wait_uncorked();
    if (auto planned = enter())
        co_return *planned;
    co_return add(std::move(row), std::move(spec));
}

result<void> fake_execution_store::add(execution_row row, execution_spec spec)
{
    if (entries_.contains(row.id))
        return error{errc::conflict, "execution " + row.id.str() + " exists"};
    const auto id = row.id;
    entry fresh{std::move(row), std::nullopt, spec.input, {}};
    fresh.output = std::exchange(fresh.row.output, {});
    if (!is_final(fresh.row.status))
        fresh.spec = std::move(spec);
    entries_.emplace(id, std::move(fresh));
    return {};
}

task<result<void>> fake_execution_store::insert_begun(execution_row row, execution_spec spec, sandbox_row where)
{
    if (corked_)
        co_await wait_uncorked();
    if (auto planned = enter())
        co_return *planned;
    auto done = add(std::move(row), std::move(spec));
    if (done.has_value() && sandboxes_ != nullptr)
        done = co_await sandboxes_->insert(std::move(where));
    co_return done;
}

task<result<void>> fake_execution_store::insert_ended(execution_end end, execution_spec spec)
{
    const auto id = end.row.id;
    const auto kept_bytes = end.kept_bytes;
    auto done = co_await insert(std::move(end.row), std::move(spec));
    if (done.has_value())
        entries_.at(id).kept_bytes = kept_bytes;
    if (done.has_value() && events_ != nullptr && !end.log.empty())
        done = events_->add_whole(id, end.log);
    if (done.has_value())
        artifacts_.add(std::move(end.artifacts));
    co_return done;
}

task<result<void>> fake_execution_store::insert_with_key(
    execution_row row, execution_spec spec, idempotency_record key, std::size_t most_keys)
{
    if (corked_)
        co_await wait_uncorked();
    if (auto planned = enter())
        co_return *planned;
    key_name name(key.tenant, key.claim.route, key.claim.key);
    const auto known = keys_.find(name);
    const bool expired = known != keys_.end() && known->second.expires_at_ms <= key.created_at_ms;
    const auto mine = std::count_if(keys_.begin(), keys_.end(), [&key](const auto& each) { return each.second.tenant == key.tenant; });
    if (static_cast<std::size_t>(mine) - (expired ? 1 : 0) >= most_keys)
        co_return error{errc::quota_exceeded, "too many keys"};
    if (known != keys_.end() && !expired)
        co_return error{errc::conflict, "the key is in use"};
    auto added = add(std::move(row), std::move(spec));
    if (added.has_value())
        keys_.insert_or_assign(std::move(name), std::move(key));
    co_return added;
}

task<result<idempotency_record>> fake_execution_store::find_key(tenant_id tenant, std::string route, std::string key)
{
    if (auto planned = enter())
        co_return *planned;
    const auto found = keys_.find(key_name(std::move(tenant), std::move(route), std::move(key)));
    if (found == keys_.end())
        co_return error{errc::not_found, "the key was not used"};
    co_return found->second;
}

task<result<std::size_t>> fake_execution_store::erase_expired_keys(std::int64_t now_ms, std::size_t limit)
{
    if (auto planned = enter())
        co_return *planned;
    std::vector<std::pair<std::int64_t, key_name>> expired;
    for (const auto& [name, key] : keys_)
        if (key.expires_at_ms <= now_ms)
            expired.emplace_back(key.expires_at_ms, name);
    std::sort(expired.begin(), expired.end());
    expired.resize(std::min(expired.size(), limit));
    for (const auto& [at_ms, name] : expired)
        keys_.erase(name);
    co_return expired.size();
}

void fake_execution_store::uncork()
{
    corked_ = false;
    for (auto& resume : std::exchange(held_, {}))
        resume(nullptr, std::monostate{});
}

task<> fake_execution_store::wait_uncorked()
{
    auto start = [this](completion<void> resume) { held_.push_back(std::move(resume)); };
    return suspend_until_complete<void>(std::move(start));
}

result<void> fake_execution_store::change(execution_row row)
{
    auto* const stored = find_entry(row.tenant, row.id);
    if (!stored)
        return no_execution(row.id);
    if (is_final(stored->row.status))
        return error{errc::conflict, "execution " + row.id.str() + " has ended"};
    row.kind = stored->row.kind;
    row.labels = stored->row.labels;
    row.created_at_ms = stored->row.created_at_ms;
    row.skill_name = stored->row.skill_name;
    if (!row.output.empty())
        stored->output = std::exchange(row.output, {});
    row.cancel_requested = row.cancel_requested || stored->row.cancel_requested;
    if (is_final(row.status))
        stored->spec.reset();
    stored->row = std::move(row);
    return {};
}

task<result<void>> fake_execution_store::update(execution_row row)
{
    if (auto planned = enter())
        co_return *planned;
    co_return change(std::move(row));
}

task<result<void>> fake_execution_store::finish(execution_end end)
{
    if (auto planned = enter())
        co_return *planned;
    const auto id = end.row.id;
    const auto kept_bytes = end.kept_bytes;
    auto changed = change(std::move(end.row));
    if (changed.has_value())
        entries_.at(id).kept_bytes = kept_bytes;
    if (changed.has_value() && events_ != nullptr && !end.log.empty())
        changed = events_->add_whole(id, end.log);
    if (changed.has_value())
        artifacts_.add(std::move(end.artifacts));
    co_return changed;
}

task<result<void>> fake_execution_store::request_cancel(tenant_id tenant, execution_id id)
{
    if (auto planned = enter())
        co_return *planned;
    auto* const stored = find_entry(tenant, id);
    if (!stored)
        co_return no_execution(id);
    if (is_final(stored->row.status))
        co_return error{errc::conflict, "execution " + id.str() + " has ended"};
    stored->row.cancel_requested = true;
    co_return result<void>();
}

task<result<execution_row>> fake_execution_store::find(tenant_id tenant, execution_id id)
{
    if (auto planned = enter())
        co_return *planned;
    const auto* const stored = find_entry(tenant, id);
    if (!stored)
        co_return no_execution(id);
    co_return stored->row;
}

task<result<execution_payload>> fake_execution_store::find_payload(tenant_id tenant, execution_id id, std::size_t most_bytes)
{
    if (auto planned = enter())
        co_return *planned;
    const auto* const stored = find_entry(tenant, id);
    if (!stored)
        co_return no_execution(id);
    const auto kept = [most_bytes](const shared_bytes& text) { return text.size() <= most_bytes ? text : shared_bytes(); };
    co_return execution_payload{kept(stored->input), kept(stored->output), stored->input.size(), stored->output.size()};
}

task<result<payload_piece>> fake_execution_store::read_payload(
    tenant_id tenant, execution_id id, payload_part part, std::uint64_t offset, std::size_t most_bytes)
{
    if (auto planned = enter())
        co_return *planned;
    const auto* const stored = find_entry(tenant, id);
    if (!stored)
        co_return no_execution(id);
    const auto& text = part == payload_part::input ? stored->input : stored->output;
    co_return payload_piece{text.slice(std::min<std::uint64_t>(offset, text.size()), most_bytes), text.size()};
}

task<result<execution_spec>> fake_execution_store::find_spec(tenant_id tenant, execution_id id)
{
    if (auto planned = enter())
        co_return *planned;
    const auto* const stored = find_entry(tenant, id);
    if (!stored || !stored->spec)
        co_return no_execution(id);
    co_return *stored->spec;
}

task<result<std::vector<execution_row>>> fake_execution_store::list(tenant_id tenant, execution_filter filter)
{
    if (auto planned = enter())
        co_return *planned;
    std::vector<execution_row> page;
    for (const auto& [id, stored] : std::views::reverse(entries_)) {
        if (page.size() >= filter.limit)
            break;
        if (stored.row.tenant == tenant && matches(stored.row, filter))
            page.push_back(stored.row);
    }
    co_return page;
}

task<result<removed_execution>> fake_execution_store::erase(tenant_id tenant, execution_id id)
{
    if (auto planned = enter())
        co_return *planned;
    const auto* const stored = find_entry(tenant, id);
    if (!stored)
        co_return no_execution(id);
    if (!is_final(stored->row.status))
        co_return error{errc::conflict, "execution " + id.str() + " has not ended"};
    const auto kept_bytes = stored->kept_bytes;
    entries_.erase(id);
    if (events_ != nullptr)
        events_->erase_whole(id);
    co_return removed_execution{artifacts_.remove(tenant, id), kept_bytes};
}

task<result<std::vector<unfinished_execution>>> fake_execution_store::unfinished(execution_id after, std::size_t limit)
{
    if (auto planned = enter())
        co_return *planned;
    std::vector<unfinished_execution> page;
    for (auto next = entries_.upper_bound(after); next != entries_.end() && page.size() < limit; ++next) {
        if (next->second.spec)
            page.push_back({next->second.row, *next->second.spec});
    }
    co_return page;
}

/// Of those that are there: it forgets what was removed.
task<result<execution_totals>> fake_execution_store::totals(tenant_id tenant)
{
    if (auto planned = enter())
        co_return *planned;
    execution_totals found;
    const auto count = [](execution_tally& tally, const execution_row& row) {
        tally.total += 1;
        tally.success += row.status == execution_status::success ? 1 : 0;
        tally.failed += row.status == execution_status::failed ? 1 : 0;
        tally.timeout += row.status == execution_status::timeout ? 1 : 0;
        tally.cancelled += row.status == execution_status::cancelled ? 1 : 0;
        tally.interrupted += row.status == execution_status::interrupted ? 1 : 0;
        tally.duration_ms += row.duration_ms.value_or(0);
    };
    for (const auto& [id, stored] : entries_) {
        const auto& row = stored.row;
        if (row.tenant != tenant || !is_final(row.status))
            continue;
        found.kept_bytes += stored.kept_bytes;
        count(found.all, row);
        if (!row.language.empty())
            count(found.by_language[row.language], row);
        if (!row.skill_name.empty())
            count(found.by_skill[row.skill_name], row);
    }
    co_return found;
}

task<result<std::vector<kept_execution>>> fake_execution_store::oldest(
    std::optional<tenant_id> tenant, execution_id after, std::size_t limit)
{
    if (auto planned = enter())
        co_return *planned;
    std::vector<kept_execution> page;
    for (auto next = entries_.upper_bound(after); next != entries_.end() && page.size() < limit; ++next) {
        const auto& row = next->second.row;
        if (!tenant || row.tenant == *tenant)
            page.push_back({row.id, row.tenant, row.created_at_ms, row.finished_at_ms, false});
    }
    co_return page;
}

task<result<std::vector<std::pair<tenant_id, std::int64_t>>>> fake_execution_store::kept_bytes()
{
    if (auto planned = enter())
        co_return *planned;
    std::map<tenant_id, std::int64_t> sums;
    for (const auto& [id, stored] : entries_)
        if (is_final(stored.row.status))
            sums[stored.row.tenant] += stored.kept_bytes;
    co_return std::vector<std::pair<tenant_id, std::int64_t>>(sums.begin(), sums.end());
}

task<result<std::vector<sandbox_id>>> fake_execution_store::sandboxes_in_use()
{
    if (auto planned = enter())
        co_return *planned;
    std::vector<sandbox_id> all;
    for (const auto& [id, stored] : entries_) {
        if (stored.spec && stored.row.sandbox)
            all.push_back(*stored.row.sandbox);
    }
    co_return all;
}

}    // namespace caisson::testing
