#include "tests/support/fake_stores.hpp"

#include <algorithm>

namespace caisson::testing {

task<result<void>> fake_sandbox_store::insert(sandbox_row row)
{
    if (auto planned = enter())
        co_return *planned;
    const auto id = row.id;
    if (!rows_.emplace(id, std::move(row)).second)
        co_return error{errc::conflict, "sandbox " + id.str() + " exists"};
    co_return result<void>();
}

task<result<void>> fake_sandbox_store::update(
    sandbox_id id, sandbox_state state, std::string runtime_state, std::string cause, std::optional<std::int64_t> ended_at_ms)
{
    if (auto planned = enter())
        co_return *planned;
    const auto found = rows_.find(id);
    if (found == rows_.end())
        co_return error{errc::not_found, "no sandbox " + id.str()};
    found->second.state = state;
    found->second.runtime_state = std::move(runtime_state);
    found->second.cause = std::move(cause);
    found->second.ended_at_ms = ended_at_ms;
    co_return result<void>();
}

task<result<sandbox_row>> fake_sandbox_store::find(sandbox_id id)
{
    if (auto planned = enter())
        co_return *planned;
    const auto found = rows_.find(id);
    if (found == rows_.end())
        co_return error{errc::not_found, "no sandbox " + id.str()};
    co_return found->second;
}

task<result<std::vector<sandbox_row>>> fake_sandbox_store::alive()
{
    if (auto planned = enter())
        co_return *planned;
    constexpr std::array living{sandbox_state::creating, sandbox_state::running, sandbox_state::paused, sandbox_state::stopped};
    std::vector<sandbox_row> all;
    for (const auto& [id, row] : rows_) {
        if (std::ranges::find(living, row.state) != living.end())
            all.push_back(row);
    }
    co_return all;
}

task<result<void>> fake_sandbox_store::end(sandbox_id id, std::string cause, std::int64_t ended_at_ms)
{
    if (auto planned = enter())
        co_return *planned;
    const auto found = rows_.find(id);
    if (found == rows_.end() || found->second.ended_at_ms)
        co_return error{errc::not_found, "no sandbox " + id.str() + " that has not ended"};
    found->second.state = sandbox_state::destroyed;
    found->second.runtime_state.clear();
    found->second.cause = std::move(cause);
    found->second.ended_at_ms = ended_at_ms;
    co_return result<void>();
}

task<result<std::size_t>> fake_sandbox_store::erase_ended(std::int64_t before_ms, std::size_t limit)
{
    if (auto planned = enter())
        co_return *planned;
    std::vector<std::pair<std::int64_t, sandbox_id>> old;
    for (const auto& [id, row] : rows_) {
        if (row.ended_at_ms && *row.ended_at_ms < before_ms)
            old.emplace_back(*row.ended_at_ms, id);
    }
    std::ranges::sort(old);
    old.resize(std::min(old.size(), limit));
    for (const auto& [ended, id] : old)
        rows_.erase(id);
    co_return old.size();
}

task<result<tenant_id>> fake_key_store::ensure_tenant(std::string name, tenant_id fresh, std::int64_t)
{
    if (auto planned = enter())
        co_return *planned;
    const auto [place, made] = tenants_.emplace(std::move(name), std::move(fresh));
    co_return place->second;
}

task<result<void>> fake_key_store::insert_key(api_key_row row)
{
    if (auto planned = enter())
        co_return *planned;
    const auto owner = std::ranges::find(tenants_, row.tenant, [](const auto& entry) { return entry.second; });
    if (owner == tenants_.end())
        co_return error{errc::not_found, "no tenant " + row.tenant.str()};
    const auto same_hash = [&](const auto& entry) { return entry.second.hash == row.hash; };
    if (keys_.contains(row.id) || std::ranges::any_of(keys_, same_hash))
        co_return error{errc::conflict, "the key exists"};
    row.tenant_name = owner->first;
    keys_.emplace(row.id, row);
    co_return result<void>();
}

task<result<api_key_row>> fake_key_store::find_key(std::string hash)
{
    if (auto planned = enter())
        co_return *planned;
    const auto found = std::ranges::find(keys_, hash, [](const auto& entry) { return entry.second.hash; });
    if (found == keys_.end())
        co_return error{errc::not_found, "no such key"};
    co_return found->second;
}

task<result<api_key_row>> fake_key_store::find_key_by_id(key_id id)
{
    if (auto planned = enter())
        co_return *planned;
    const auto found = keys_.find(id);
    if (found == keys_.end())
        co_return error{errc::not_found, "no such key"};
    co_return found->second;
}

task<result<std::size_t>> fake_key_store::count_tenants(std::int64_t now_ms, std::size_t most)
{
    if (auto planned = enter())
        co_return *planned;
    std::set<tenant_id> found;
    for (const auto& [id, row] : keys_)
        if (!row.revoked_at_ms && row.expires_at_ms.value_or(INT64_MAX) > now_ms)
            found.insert(row.tenant);
    co_return std::min(found.size(), most);
}

task<result<std::vector<api_key_row>>> fake_key_store::list_keys(std::optional<std::string> tenant_name)
{
    if (auto planned = enter())
        co_return *planned;
    std::vector<api_key_row> all;
    for (const auto& [id, row] : keys_) {
        if (!tenant_name || row.tenant_name == *tenant_name)
            all.push_back(row);
    }
    co_return all;
}

task<result<void>> fake_key_store::revoke_key(key_id id, std::int64_t now_ms)
{
    if (auto planned = enter())
        co_return *planned;
    const auto found = keys_.find(id);
    if (found == keys_.end())
        co_return error{errc::not_found, "no key " + id.str()};
    if (!found->second.revoked_at_ms)
        found->second.revoked_at_ms = now_ms;
    co_return result<void>();
}

task<result<void>> fake_key_store::touch_key(key_id id, std::int64_t now_ms)
{
    if (auto planned = enter())
        co_return *planned;
    if (const auto found = keys_.find(id); found != keys_.end())
        found->second.last_used_at_ms = std::max(now_ms, found->second.last_used_at_ms.value_or(now_ms));
    co_return result<void>();
}

}    // namespace caisson::testing
